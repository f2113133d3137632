import { isMessage } from "@bufbuild/protobuf";
import { createCache } from "@disburse/chassis/cache.ts";
import {
  type Actor,
  Actor_Kind,
  ActorSchema,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { isId } from "@disburse/kernel/id.ts";
import type { Keys } from "../keys/store.ts";
import { type Members, personOf } from "./store.ts";

/** Names of keys and members never change. Only the memory limits how long they are kept. */
const kept = { max: 10_000, freshMs: 3_600_000 };

/**
 * Adds names to the creators and approvers in responses of other services. Only the gateway stores the names of
 * members, which are sealed. Records from before names were stored lack those of their keys too.
 */
export function createActorNames(deps: { readonly keys: Keys; readonly members: Members }) {
  const { keys, members } = deps;
  const memberName = async (_id: string) => {
    const member = await members.collection.findOne({ _id });
    return member === null ? undefined : personOf(members, member).name;
  };
  const keyName = async (_id: string) =>
    (await keys.findOne({ _id }, { projection: { description: 1 } }))?.description;
  const names = createCache({
    name: "actor_names",
    ...kept,
    read: (id) => (isId("member", id) ? memberName(id) : keyName(id)),
  });
  return {
    /** Adds the names that are missing anywhere in a response. */
    add: async (response: unknown): Promise<void> => {
      const unnamed = [...actorsIn(response)].filter(
        ({ kind, name }) => name === undefined && hasName.has(kind),
      );
      await Promise.all(
        unnamed.map(async (actor) => {
          actor.name = (await names.get(actor.id)) ?? "";
        }),
      );
    },
  };
}

const hasName: ReadonlySet<Actor_Kind> = new Set([Actor_Kind.API_KEY, Actor_Kind.MEMBER]);

/** The fields with the creator or proposer of a record, and with the actor that decided on it. */
const namedFields: ReadonlySet<string> = new Set(["createdBy", "decidedBy", "proposedBy"]);

/** Finds the actors of a record, of the records of a page, and of expanded records. */
function* actorsIn(response: unknown): Generator<Actor> {
  if (typeof response !== "object" || response === null || ArrayBuffer.isView(response)) return;
  for (const [field, value] of Object.entries(response)) {
    if (namedFields.has(field) && isMessage(value, ActorSchema)) yield value;
    else yield* actorsIn(value);
  }
}
