import { create } from "@bufbuild/protobuf";
import {
  Actor_Kind,
  ActorSchema,
  type Mutation,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { type EnumName, enumValue } from "../enum-names.ts";
import { readMutation, type StoredActor } from "./mutation.ts";

/**
 * The actor that created a record. Only an API key has its name here, because the names of persons
 * are sealed at the gateway. Absent in records from before names were stored.
 */
export type Creator = StoredActor & { readonly name?: string };

/** Reads the actor of a call that creates a record. */
export function readCreator(mutation: Mutation | undefined): Creator {
  const { actor } = readMutation(mutation);
  const name = mutation?.actor?.name;
  return actor.kind === "api_key" && name !== undefined ? { ...actor, name } : actor;
}

/** A creator as other services and merchants see it. A link is that of a beneficiary. */
type ShownCreator = {
  readonly kind: EnumName<typeof Actor_Kind>;
  readonly id: string;
  readonly name?: string;
};

export function creatorMessage({ kind, id, name }: ShownCreator) {
  const named = name === undefined ? {} : { name };
  return create(ActorSchema, { kind: enumValue(Actor_Kind, kind), id, ...named });
}

/** Returns the `created_by` of a webhook. Events name no persons. */
export function creatorData({ kind, id, name = "" }: ShownCreator) {
  return { id, type: kind, name };
}
