import { assertAsChecked, throwChanged } from "@disburse/chassis/approvals/checked.ts";
import type { AuditRecord } from "@disburse/chassis/audit/trail.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import { otherContent } from "@disburse/kernel/refusal.ts";
import type { AuditAction, AuditStore } from "../payouts/operators.ts";
import type { MerchantRules, RulesDocument } from "./merchant-rules.ts";

type ChangeDeps<Text> = {
  readonly audit: Pick<AuditStore, "has" | "append" | "appendAfter">;
  readonly rules: Pick<MerchantRules<Text, unknown>, "read" | "follow">;
  /** Describes the rules in force as the guard of the RPC does. */
  readonly describe: (stored: RulesDocument<Text> | null) => string;
};

/**
 * Sets the parts of a merchant's rules that the record names, once per operation. The audit trail
 * is written first, because its order decides between concurrent changes. A guarded change is not
 * appended after a change that its guard didn't compare. Otherwise it would undo a tightening.
 */
export async function changeRules<Text>(
  { audit, rules, describe }: ChangeDeps<Text>,
  record: AuditRecord<AuditAction>,
): Promise<RulesDocument<Text>> {
  const entry = await append({ audit, rules, describe }, record);
  if (entry.detail !== record.detail) orThrow(otherContent);
  return rules.follow(entry);
}

async function append<Text>(
  { audit, rules, describe }: ChangeDeps<Text>,
  record: AuditRecord<AuditAction>,
) {
  const isGuarded = callContext()?.checkedBefore !== undefined;
  // A change that is in the trail was applied, or is applied now.
  if (!isGuarded || (await audit.has(record))) return audit.append(record);
  const stored = await rules.read(record.subject);
  assertAsChecked(describe(stored));
  const { entry, isOther } = await audit.appendAfter(stored?.audit_sequence ?? 0, record);
  if (!isOther) return entry;
  // If a crash has interrupted the other change, a repeat of this one would never succeed.
  await rules.follow(entry);
  return throwChanged();
}
