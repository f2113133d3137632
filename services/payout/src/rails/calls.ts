import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { StoredCall } from "../payouts/document.ts";
import type { RailReport } from "../payouts/rules/rail-report.ts";
import type { RailReply } from "./rail.ts";

/** What a rail answered, and that for the journal. */
export type RailResponse = RailReply & { readonly call: StoredCall };

/** A rail that has not answered by then has not answered; a lease is longer. */
const railTimeoutMs = 5_000;
/** The pause before a payout is tried again whose rail or beneficiary service is away. */
export const retryMs = 2_000;
/** What a rail says is kept to this length: a hash or reference, an amount, a currency. */
const saidMax = 256;

/** Calls a rail. One that throws or hangs has told nothing: the outcome is unknown, not failed. */
export async function callRail(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  payoutId: string,
  call: () => Promise<RailReply>,
): Promise<RailResponse> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("no answer in time")), railTimeoutMs);
  const started = performance.now();
  try {
    const timed = await Promise.race([call(), late.promise]);
    const duration_ms = Math.round(performance.now() - started);
    const fields = { payout_id: payoutId, answer: timed.status.kind, duration_ms };
    log.info(fields, "rail answered");
    return { ...timed, call: { kind: "answer", at: clock.now(), said: describeResponse(timed) } };
  } catch (error) {
    log.warn({ err: error, payout_id: payoutId }, "rail did not answer");
    const said: StoredCall = { kind: "answer", at: clock.now(), said: "no answer" };
    return { status: { kind: "unknown" }, pollAfterMs: retryMs, call: said };
  } finally {
    clearTimeout(timer);
  }
}

/** A rail's word for the journal: `settled R-1, 10.00 USD`. */
export function describeResponse({ status, transferred }: RailReport): string {
  const reference = "reference" in status ? ` ${status.reference ?? ""}`.trimEnd() : "";
  const amount =
    transferred === undefined ? "" : `, ${transferred.amount} ${transferred.currency}`.trimEnd();
  return `${status.kind}${reference}${amount}`.slice(0, saidMax);
}
