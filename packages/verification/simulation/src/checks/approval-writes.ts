import type { Scheduler } from "../scheduler/scheduler.ts";
import type { Document } from "../store/value.ts";

type Decision = { readonly as: "approved" | "rejected" | "expired" };
type StoredApproval = { readonly expires_at: Date; readonly decision?: Decision };

const counted = {
  approved: "payout approved",
  rejected: "payout rejected by an approver",
  expired: "approval expired",
} as const;

/** What is wrong with the approval of a payout in one write; `isSent`: it precedes a submission. */
export function wrongApproval(
  scheduler: Pick<Scheduler, "faults" | "now">,
  before: Document | undefined,
  after: Document | undefined,
  isSent: boolean,
): string[] {
  const approval = after?.approval as StoredApproval | undefined;
  if (approval === undefined) return [];
  const { faults } = scheduler;
  const { decision, expires_at } = approval;
  const known = (before?.approval as StoredApproval | undefined)?.decision;
  const isApproved = decision?.as === "approved";
  const wrong: string[] = [];
  if (isSent && !isApproved) wrong.push("was sent without the approval that it needs");
  if (before === undefined) {
    const isWaiting = isAwaiting(after);
    if (isWaiting === isApproved) wrong.push("was made approved and waiting, or neither");
    faults.count(isApproved ? "approval given before" : "payout waited for approval");
    return wrong;
  }
  if (known !== undefined && known.as !== decision?.as) wrong.push("was decided on twice");
  if (known !== undefined || decision === undefined) return wrong;
  faults.count(counted[decision.as]);
  const isOver = scheduler.now() >= expires_at;
  if (isOver !== (decision.as === "expired")) wrong.push(`was ${decision.as} at the wrong time`);
  return wrong;
}

function isAwaiting(payout: Document | undefined): boolean {
  const progress = payout?.progress as { stage: string } | undefined;
  return progress?.stage === "awaiting_approval";
}
