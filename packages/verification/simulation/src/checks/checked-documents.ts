import type { Documents } from "@disburse/invariants/documents.ts";
import type { Platform } from "../platform.ts";
import type { Transfer } from "../rail/state.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";
import { made } from "./payouts.ts";

/** All documents of a platform at the end of a run, as the invariants read them. */
export function documentsOf({ databases, railState, beneficiaries }: Platform): Documents {
  const { payout, quote, notifier } = databases;
  const of = (database: MemoryDatabase, ...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, database.documents(name)]));
  const known = [...beneficiaries.values()];
  const collections = {
    ...of(payout, "accounts", "ledger_entries"),
    payouts: payout.documents("payouts").filter(made).map(decidedInTime),
    ...of(quote, "quotes"),
    ...of(notifier, "endpoints", "events", "deliveries"),
    sandbox_transfers: [...railState.transfers.values()].map(transferDocument),
    beneficiaries: known.map(({ id, merchantId, stops }) => {
      const last = stops.find(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY);
      return {
        _id: id,
        merchant_id: merchantId,
        screening: { status: last === undefined ? "cleared" : "blocked" },
        updated_at: new Date(last?.fromMs ?? 0),
      };
    }),
    screenings: known.map(({ id, merchantId }) => ({
      _id: `scr_${id}`,
      merchant_id: merchantId,
      record_id: id,
      verdict: "clear",
      created_at: new Date(0),
    })),
    idempotency_keys: [],
  };
  return collections as unknown as Documents;
}

/**
 * A payout whose decision is not later than the end of its approval: the stored time is that of a
 * process, whose clock may be an hour off here. The write observer judges by the true time.
 */
function decidedInTime(payout: Document): Document {
  const approval = payout.approval as { expires_at: Date; decision?: { at: Date } } | undefined;
  if (approval?.decision === undefined) return payout;
  const { decision, expires_at } = approval;
  const at = new Date(Math.min(decision.at.getTime(), expires_at.getTime()));
  return { ...payout, approval: { ...approval, decision: { ...decision, at } } };
}

/** A transfer as the sandbox rail stores it. */
function transferDocument({ key, scenario, reference, isWithdrawn }: Transfer) {
  const named = { settles: "settle", rejects: "fail", returns: "return" } as const;
  const isLate = scenario === "returns after days";
  const stored = { _id: key, scenario: isLate ? "return" : named[scenario], reference };
  return isWithdrawn ? { ...stored, withdrawn_at: new Date(0) } : stored;
}
