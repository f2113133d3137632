import type { Client } from "@connectrpc/connect";
import { currentOrigin } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import type { Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Ledger } from "@disburse/ledger/accounts.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import type { RailReport } from "@disburse/rail/report.ts";
import type { Payouts, StoredCall } from "../payouts/document.ts";
import { type Leases, leaseMs } from "../payouts/leases.ts";
import type { PendingPayoutEvent } from "../payouts/outbox.ts";
import { isOverdue, raiseException } from "../payouts/rules/exception.ts";
import { pendingMovement } from "../payouts/rules/movement.ts";
import { type Payout, settlementOverheadMs } from "../payouts/rules/payout.ts";
import { type Progress, publicStatusOf } from "../payouts/rules/progress.ts";
import { applyRailReport, readCharges } from "../payouts/rules/rail-report.ts";
import { causeOf } from "../payouts/rules/timeline.ts";
import { advance, type LeasedPayout, release, type Step } from "../payouts/work.ts";
import { chargeFunds } from "../treasury/accounts.ts";
import type { VelocityReservations } from "../velocity/reservations.ts";
import type { RailDirectory } from "./directory.ts";
import type { Silence } from "./sandbox/scenario-store.ts";

export type RailWorkerDeps = {
  readonly ledger: Ledger;
  readonly payouts: Payouts;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly reservations: Pick<VelocityReservations, "giveBack">;
  readonly rails: RailDirectory;
  readonly leases: Leases;
  /**
   * A payout that is still open this long after its submission gets an exception. A rail's own
   * limit takes precedence.
   */
  readonly stuckAfterMs: number;
  /** Returns the fault that a merchant simulates. Absent in live mode. */
  readonly silenceOf?: ((merchantId: string) => Silence | undefined) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent if tracing is off. */
  readonly tracing?: Tracing | undefined;
  readonly railCalled?: ObserveRailCall | undefined;
  readonly settled?: ObserveSettlement | undefined;
  /** Called with an event that was stored and can be published. */
  readonly onChanged: (pending: PendingPayoutEvent) => void;
};

/** A payout after a step, and the time of the next poll. */
export type StepResult = { readonly leased: LeasedPayout; readonly pollAt: Date | "done" };

/** The longest time until the next work on an open payout, even if its rail requests more. */
export const deferMaxMs = 600_000;

/**
 * Writes a step of a payout and logs it, with the time since the payout's previous step. Returns
 * `undefined` if a concurrent write won.
 */
export async function takeStep(
  { payouts, log, onChanged, settled }: RailWorkerDeps,
  leased: LeasedPayout,
  progress: Progress,
  step: Step,
): Promise<LeasedPayout | undefined> {
  const { payout } = leased;
  const calls = [...leased.calls, ...(step.calls ?? [])];
  const advanced = await advance(payouts, payout, progress, { ...step, calls });
  // A concurrent write won. If this worker still holds the lease, releasing it lets the next worker
  // continue.
  if (advanced === undefined) return release(payouts, leased, { work: step.at });
  const { stage } = advanced.payout.progress;
  const { status } = publicStatusOf(advanced.payout.progress);
  log.debug(
    {
      payout_id: payout.id,
      stage,
      status,
      cause: step.detail,
      stood_ms: step.at.getTime() - payout.updatedAt.getTime(),
    },
    "payout advanced",
  );
  const { event } = advanced;
  if (event !== undefined && payout.progress.stage === "concluding") {
    const overheadMs = settlementOverheadMs(payout, step.at);
    if (overheadMs !== undefined) settled?.(payout.rail, overheadMs);
  }
  if (event !== undefined) onChanged({ payoutId: payout.id, origin: currentOrigin(), event });
  const until =
    typeof step.work === "object" && "leasedUntil" in step.work && step.work.leasedUntil;
  return { ...leased, payout: advanced.payout, calls: [], ...(until && { until }) };
}

/** Returns a `stuck` exception, or nothing if the payout already has an exception. */
export function overdueException({ clock }: RailWorkerDeps, { exception }: Payout) {
  if (exception !== undefined) return {};
  return { exception: raiseException(undefined, "stuck", clock.now()) };
}

/** The longest pause between two tries of a payout that waits for a rail. */
export const queueWaitMaxMs = 30_000;

/**
 * Returns the pause before the next try of an unsent payout. It is an eighth of the time waited so
 * far, within `retryMs` and `queueWaitMaxMs`.
 */
export function queueWaitMs(
  { clock }: RailWorkerDeps,
  { createdAt, fundedAt = createdAt }: Payout,
): number {
  const waitedMs = clock.now().getTime() - fundedAt.getTime();
  return Math.min(Math.max(waitedMs / 8, retryMs), queueWaitMaxMs);
}

/**
 * Returns the time after which a payout is overdue. The rail's own limit takes precedence over the
 * service's.
 */
export function overdueAfterMs({ rails, stuckAfterMs }: RailWorkerDeps, { rail }: Payout): number {
  return rails.named(rail)?.overdueAfterMs ?? stuckAfterMs;
}

/** Returns the fault that the payout's merchant simulates. */
export function silenceTo(
  { silenceOf }: RailWorkerDeps,
  { quote }: Pick<Payout, "quote">,
): Silence | undefined {
  return silenceOf?.(quote.merchantId);
}

/**
 * Returns the rail call. If the merchant simulates a missing response, returns a call that fails.
 */
export function answering(deps: RailWorkerDeps, payout: Payout, send: () => Promise<RailReply>) {
  if (silenceTo(deps, payout) !== "no_answer") return send;
  return () => Promise.reject(new Error("the merchant simulates a rail that does not respond"));
}

export function fromNow({ clock }: RailWorkerDeps, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}

/** Renews the lease with a step, so that this worker can take the next step. */
export function renewedLease(deps: RailWorkerDeps): Pick<Step, "at" | "work"> {
  return { at: deps.clock.now(), work: { leasedUntil: fromNow(deps, leaseMs) } };
}

/** A rail's reply, with the call that the history records for it. */
export type RailResponse = RailReply & { readonly call: StoredCall };

/** The timeout of a rail call. It is shorter than a lease. */
export const railTimeoutMs = 5_000;
/** The part of a lease that is reserved for the write after a rail call. */
const writeMs = 1_000;
/** The pause before a retry when the rail or the beneficiary service is unavailable. */
export const retryMs = 2_000;
/** The poll interval of an open payout whose rail requests none. It is also the longest backoff. */
const pollIntervalMaxMs = 60_000;
/**
 * The maximum stored length of a response. A response has a hash or reference, an amount and a
 * currency.
 */
export const textMax = 256;

export type RailCall = {
  readonly payoutId: string;
  readonly rail: string;
  readonly operation: "submit" | "query";
};

/** Receives each rail call with the kind of its response. */
export type ObserveRailCall = (
  call: RailCall,
  outcome: RailReply["status"]["kind"] | "no_answer",
  durationMs: number,
) => void;

/** Receives each payout that a rail had and that ended, with the platform's share of the time. */
export type ObserveSettlement = (rail: string, overheadMs: number) => void;

/** Calls a rail. After an error or a timeout the status is unknown, not rejected. */
export async function callRail(
  { clock, log, railCalled }: Pick<RailWorkerDeps, "clock" | "log" | "railCalled">,
  call: RailCall,
  send: () => Promise<RailReply>,
): Promise<RailResponse> {
  const { payoutId } = call;
  const started = performance.now();
  const observe = (outcome: Parameters<ObserveRailCall>[1]) => {
    const durationMs = performance.now() - started;
    railCalled?.(call, outcome, durationMs);
    return Math.round(durationMs);
  };
  try {
    const reply = await withTimeout(railTimeoutMs, send);
    const answer = reply.status.kind;
    const duration_ms = observe(answer);
    log.debug({ payout_id: payoutId, answer, duration_ms }, "rail responded");
    const said = describeResponse(reply);
    return { ...reply, call: { kind: "answer", at: clock.now(), said } };
  } catch (error) {
    observe("no_answer");
    log.warn({ err: error, payout_id: payoutId }, "rail did not respond");
    const noAnswer: StoredCall = { kind: "answer", at: clock.now(), said: "no answer" };
    return { status: { kind: "unknown" }, pollAfterMs: retryMs, call: noAnswer };
  }
}

/** Formats a rail report for the history: `settled R-1, 10.00 USD`. */
export function describeResponse({ status, transferred, short }: RailReport): string {
  const reference = "reference" in status ? ` ${status.reference ?? ""}`.trimEnd() : "";
  const { amount = "", currency = "" } = transferred ?? {};
  const sum = `${amount} ${currency}`.trim();
  const missing = short && `short of ${short.amount} ${short.currency}`;
  const parts = [`${status.kind}${reference}`, sum, missing];
  return parts.filter(Boolean).join(", ").slice(0, textMax);
}

/**
 * Applies a rail's response to its payout. Returns a result only if the outcome is now decided and
 * this worker continues; otherwise `undefined`.
 */
export async function applyResponse(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  response: RailResponse,
): Promise<StepResult | undefined> {
  const { payout } = leased;
  const { status, pollAfterMs, call } = response;
  const hasEnded = ["settled", "returned", "rejected"].includes(status.kind);
  const charges = readCharges(hasEnded ? response.charges : []);
  const next = isRefused(charges) ? charges : applyRailReport(payout, response);
  // An open payout is polled even if its rail requests no poll, for example because it sends
  // callbacks.
  const isOpen = publicStatusOf(payout.progress).status === "initiated";
  const latestPoll = isOpen ? fromNow(deps, pollIntervalMaxMs) : "done";
  // Charges are booked before any other write. If this fails, the next poll returns the same
  // charges, and a repeated booking has no effect.
  if (!isRefused(charges) && !isRefused(next) && payout.isFunded) {
    for (const [index, charge] of charges.entries()) {
      await chargeFunds(deps.ledger, payout, charge, index + 1);
    }
  }
  if (isRefused(next) || response.contradiction !== undefined) {
    deps.log.error(
      { payout_id: payout.id, answer: status.kind },
      "rail reported an outcome that contradicts an earlier one; an operator must check the payout",
    );
    const exception = raiseException(payout.exception, "contradicted", call.at);
    const work = isRefused(next) ? latestPoll : nextPollAt(deps, payout, response);
    return release(deps.payouts, leased, { work, calls: [call], exception });
  }
  const isOverdueNow =
    isOpen && isOverdue(payout.submittedAt, call.at, overdueAfterMs(deps, payout));
  if (!isOverdueNow && isPolledSoon(deps, leased, next, response)) {
    const waiting = { ...leased, calls: [...leased.calls, call] };
    deps.leases.hold(waiting, fromNow(deps, response.pollAfterMs));
    return undefined;
  }
  if (next === "unchanged") {
    return release(deps.payouts, leased, {
      work: nextPollAt(deps, payout, response),
      calls: [call],
      ...(isOverdueNow && overdueException(deps, payout)),
    });
  }
  const step = { cause: causeOf(status), detail: `rail reported ${status.kind}`, calls: [call] };
  if (pendingMovement(next) !== undefined) {
    const decided = await takeStep(deps, leased, next, { ...step, ...renewedLease(deps) });
    const pollAt = pollAfterMs === undefined ? "done" : fromNow(deps, pollAfterMs);
    return decided && { leased: decided, pollAt };
  }
  const waitMs = next.stage === "unknown" ? pollBackoffMs(next.asked, pollAfterMs) : pollAfterMs;
  const work = fromNow(deps, Math.min(waitMs ?? retryMs, deferMaxMs));
  await takeStep(deps, leased, next, { ...step, at: call.at, work });
  return undefined;
}

/**
 * Returns true if an accepted payout can wait in this process without a write. Its next poll must
 * be due within the lease, and its public status must not change. After a crash, another worker
 * polls the rail too, so nothing is lost.
 */
function isPolledSoon(
  { leases, clock }: RailWorkerDeps,
  { payout, until }: LeasedPayout,
  next: Progress | "unchanged",
  response: RailResponse,
): response is RailResponse & { readonly pollAfterMs: number } {
  const { status, pollAfterMs } = response;
  if (status.kind !== "accepted" || pollAfterMs === undefined || !leases.hasCapacity())
    return false;
  const now = publicStatusOf(payout.progress);
  const then = next === "unchanged" ? now : publicStatusOf(next);
  if (now.status !== "initiated" || now.subStatus !== then.subStatus) return false;
  const leftMs = until.getTime() - clock.now().getTime();
  return pollAfterMs + railTimeoutMs + writeMs <= leftMs;
}

/**
 * Returns the time of the next poll after a response that changed nothing. An ended payout is
 * polled less and less often.
 */
export function nextPollAt(
  deps: RailWorkerDeps,
  { progress, updatedAt }: Payout,
  { status, pollAfterMs }: RailResponse,
): Date | "done" {
  const isOpen = publicStatusOf(progress).status === "initiated";
  if (pollAfterMs === undefined) return isOpen ? fromNow(deps, pollIntervalMaxMs) : "done";
  if (isOpen) return fromNow(deps, Math.min(pollAfterMs, deferMaxMs));
  if (status.kind === "settled") return fromNow(deps, pollAfterMs);
  const settledForMs = deps.clock.now().getTime() - updatedAt.getTime();
  return fromNow(deps, Math.max(pollAfterMs, settledForMs / 4));
}

/**
 * Returns the pause before the next poll of a rail that does not know the outcome. The pause grows
 * exponentially up to a maximum, and polls never end.
 */
function pollBackoffMs(asked: number, pollAfterMs = retryMs): number {
  return Math.min(pollAfterMs * 2 ** Math.min(asked - 1, 20), pollIntervalMaxMs);
}
