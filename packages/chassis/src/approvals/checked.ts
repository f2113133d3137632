import { refused } from "@disburse/kernel/refusal.ts";
import { callContext } from "../call-context.ts";
import { orThrow, readRefusal } from "../rpc/refusal.ts";
import { supersededRefusal } from "./answers.ts";

const changedMeanwhile = refused(
  "IDEMPOTENCY_IN_PROGRESS",
  "Another request changed the record at the same time. Repeat this request.",
);

/**
 * Throws unless `present` is the field `before` that the guard of this request compared. Without
 * this, one person could undo a change that was made after the guard's decision. A request without
 * a guard always passes.
 */
export function assertAsChecked(present: string): void {
  const { checkedBefore } = callContext() ?? {};
  if (checkedBefore !== undefined && checkedBefore !== present) throwChanged();
}

/**
 * Refuses a guarded request whose record has changed since its guard compared it. A proposal becomes
 * superseded. For any other request, the guard decides again.
 */
export function throwChanged(): never {
  const isApproved = callContext()?.approvedBy !== undefined;
  return orThrow(isApproved ? supersededRefusal : changedMeanwhile);
}

export function isChangedMeanwhile(error: unknown): boolean {
  return readRefusal(error)?.message === changedMeanwhile.detail;
}
