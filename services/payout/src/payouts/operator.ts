import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";

const notAnOperator = refused("ACCESS_FORBIDDEN", "mutation.actor: must be an operator");

/** The person and the operation of a change that only the operator's staff may make. */
export function readOperator(mutation: Mutation | undefined): {
  readonly person: string;
  readonly operation: string;
} {
  const { actor, operationId } = readMutation(mutation);
  if (actor.kind !== "operator") orThrow(notAnOperator);
  return { person: actor.id, operation: operationId };
}
