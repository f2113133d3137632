import type { OpenHold } from "../ledger/documents.ts";
import type { ApprovalNeed } from "../payouts/rules/approval.ts";

type StoredNeed = NonNullable<OpenHold["intent"]["approval"]>;

/** An approval that a payout needs, as its hold keeps it. */
export function storedNeed({ reasons, lastsMs, given }: ApprovalNeed): StoredNeed {
  const need = { reasons, lasts_ms: lastsMs };
  if (given === undefined) return need;
  const { by: actor, operationId: operation_id, at } = given;
  return { ...need, given: { actor, operation_id, at } };
}

/** The same as the rules see it. */
export function toNeed({ reasons, lasts_ms: lastsMs, given }: StoredNeed): ApprovalNeed {
  if (given === undefined) return { reasons, lastsMs };
  const { actor: by, operation_id: operationId, at } = given;
  return { reasons, lastsMs, given: { by, operationId, at } };
}
