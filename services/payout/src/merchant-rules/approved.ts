import { supersededRefusal } from "@disburse/chassis/approvals/answers.ts";
import type { AuditRecord } from "@disburse/chassis/audit/trail.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { AuditStore } from "../payouts/operators.ts";

/**
 * Refuses an approved change that runs late, after a crash, if the rules have changed since it was
 * approved. Otherwise it would overwrite a tightening made meanwhile. A change that is in the audit
 * trail was applied, or will be by this run.
 */
export async function refuseSuperseded(
  audit: Pick<AuditStore, "has">,
  record: AuditRecord,
  inForce: () => Promise<string>,
): Promise<void> {
  const { approvedBefore } = callContext() ?? {};
  if (approvedBefore === undefined || (await inForce()) === approvedBefore) return;
  if (!(await audit.has(record))) orThrow(supersededRefusal);
}
