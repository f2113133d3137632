import {
  type Actor,
  Actor_Kind,
  ActorSchema,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import * as f from "../../openapi/fields.ts";

const shown = {
  // An operator's id identifies a person of the platform.
  id: f.from(
    ({ kind, id }: Pick<Actor, "kind" | "id">) => (kind === Actor_Kind.OPERATOR ? "" : id),
    f.text("Id of the API key, the team member or the link. Empty for an operator.", "a1B2c3D4"),
  ),
  type: f.from(
    ({ kind }: Pick<Actor, "kind">) => kind,
    f.word(
      Actor_Kind,
      "`api_key`; `member`: a person of your team; `link`: the payee, by a beneficiary link; `service` or `operator`: the platform.",
    ),
  ),
} as const;

/** The actor that created a record or decided on it. */
export const actor = f.record(
  ActorSchema,
  "Actor",
  "The actor that created a record, or decided on it.",
  {
    ...shown,
    name: f.from(
      ({ name = "" }) => name,
      f.text("The key's description or the member's name; otherwise empty.", "ERP"),
    ),
  },
);

/** The field of a record. It is omitted only while an update of the platform runs. */
export const createdBy = { created_by: f.optional(f.ref(actor)) } as const;

/** The field of an approval, and of records with one. It is omitted until someone has decided. */
export const decidedBy = { decided_by: f.optional(f.ref(actor)) } as const;

/** The field of a webhook. Events name no persons. */
export const createdByInWebhook = {
  created_by: f.optional(
    f.object(
      "Who created it.",
      f.fields(ActorSchema, {
        ...shown,
        name: f.from(
          ({ name = "" }) => name,
          f.text("The key's description. Empty for a member: events name no persons.", "ERP"),
        ),
      }),
    ),
  ),
} as const;
