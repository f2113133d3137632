import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type CreateKeyResponse,
  KeySchema,
  ListKeysResponseSchema,
  RevokeKeyRequestSchema,
  type RevokeKeyResponseSchema,
} from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { createKey } from "@disburse/forms/bodies/team.ts";
import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { parseMoment } from "@disburse/kernel/time.ts";
import { childProblem } from "../keys/rules/child.ts";
import { everyScope } from "../keys/rules/key.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { get, post, type Resource, remove } from "../openapi/route.ts";
import { soundBody, textOf, textsOf } from "./own-body.ts";
import { heldText, ordersQuery, revocation } from "./parts/revocation.ts";

const described = f.fields(KeySchema, {
  id: f.text("Key id: its public part, which logs show.", "a1B2c3D4"),
  description: f.text("Your note; empty if none was given.", "Payroll server"),
  scopes: f.listOf("Scopes of the key.", f.oneOf("A scope.", everyScope)),
  source_cidrs: f.listOf(
    "IP addresses or networks (CIDR) from which the key may be used; empty if any address may.",
    f.text("An address or a network.", "203.0.113.0/24"),
  ),
  created_at: f.moment("When it was created."),
  expires_at: f.momentOrNone("When it expires; empty if it doesn't."),
  revoked_at: f.momentOrNone("When it was revoked; empty otherwise."),
  root_id: f.text(
    "The key or member that it counts as one actor with: neither approves what the other made.",
    "mem_01hqz0000000000000000000ab",
  ),
});

const key = f.component("ApiKey", "An API key, without its secret part.", described);

const keyWithSecret = f.component<Pick<CreateKeyResponse, "key" | "secret">>(
  "ApiKeyWithSecret",
  "An API key with its text, which is shown only here.",
  {
    ...f.within(({ key }) => key, described),
    secret: f.from(
      ({ secret }: Pick<CreateKeyResponse, "secret">) => secret,
      f.secret("The key, which you send as `Authorization: Bearer`.", "dsb_test_…"),
    ),
  },
);

const revokedKey = f.component<f.Shape<typeof RevokeKeyResponseSchema>>(
  "RevokedApiKey",
  "A revoked API key, and what became of what it ordered.",
  {
    ...f.within(({ key }) => key, described),
    revocation: f.from("revocation", f.ref(revocation)),
  },
);

const keyPage = f.pageOf(ListKeysResponseSchema, "ApiKeyPage", "keys", key);

const path = "/api/v1/keys";

/** Returns the limits that a valid body requests for the new key. */
function wishOf(values: BodyValues) {
  return {
    scopes: textsOf(values, "scopes"),
    sourceCidrs: textsOf(values, "source_cidrs"),
    expiresAt: parseMoment(textOf(values, "expires_at")) ?? null,
  };
}

export const apiKeys: Resource = {
  scope: "key",
  tag: "API keys",
  components: [revocation, key, keyWithSecret, revokedKey, keyPage],
  routes: [
    get("listKeys", path, {
      summary: "List API keys",
      description:
        "Your API keys, without their secret parts. Oldest first, those that were revoked too.",
      query: q.page,
      data: keyPage,
      answer: ({ request }, { keys }) => keys.listKeys(request),
    }),
    post("createKey", path, {
      summary: "Create API key",
      description:
        "The response contains the key, which is not shown again. A key can't exceed the scopes, networks and expiry time of the key that creates it, and by default has the same networks and expiry time. For a later expiry time, a member must create it.",
      body: { form: createKey },
      data: keyWithSecret,
      needsFreshSignIn: true,
      refusals: ["ACCESS_FORBIDDEN"],
      authorise: (call) => {
        const values = soundBody(call);
        return isRefused(values) ? undefined : childProblem(call.caller, wishOf(values));
      },
      answer: async (call, { keys }) => {
        const values = soundBody(call);
        if (isRefused(values)) return values;
        const { expiresAt, ...wish } = wishOf(values);
        return keys.createKey({
          ...call.change,
          ...wish,
          description: textOf(values, "description"),
          ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
        });
      },
    }),
    remove("revokeKey", `${path}/:keyId`, {
      summary: "Revoke API key",
      description: `The key stops working everywhere within 5 s, and stays in the list. You can also revoke an expired key, whose orders continue until you do.\n\n${heldText}`,
      query: q.queryOf(RevokeKeyRequestSchema, ordersQuery),
      data: revokedKey,
      // The RPC revokes only a key of the merchant that the change names.
      answer: ({ change }, { keys }) => keys.revokeKey(change),
    }),
  ],
};
