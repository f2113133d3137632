import type { AuditStore as Store } from "@disburse/chassis/audit/store.ts";
import type { AuditEntry as Entry } from "@disburse/chassis/audit/trail.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";

export type AuditAction =
  | "payout.resolved"
  | "rail.paused"
  | "rail.resumed"
  | "velocity.set"
  | "controls.set"
  | "nonce.cancelled"
  | "bank_file.resolved"
  | "bank_finding.handled";

export type AuditEntry = Entry<AuditAction>;
export type AuditStore = Store<AuditAction>;

const notAnOperator = refused("ACCESS_FORBIDDEN", "caller: must be an operator");

/** Returns the operator and the operation. Other callers are refused. */
export function readOperator(mutation: Mutation | undefined) {
  const { actor, operationId } = readMutation(mutation);
  if (actor.kind !== "operator") orThrow(notAnOperator);
  return { person: actor.id, operation: operationId };
}
