import { deferMaxMs } from "@disburse/payout/rails/steps.ts";
import type { Platform } from "../platform.ts";
import type { Document } from "../store/value.ts";
import { payoutsIn } from "./payouts.ts";

/** Until this time, the execute may still use the hold. Afterwards the sweep handles it. */
const orphanedAfterMs = 5_000;
/** Afterwards the sweep removes an order whose request was interrupted. */
const abandonedAfterMs = 61_000;
/** If an open payout has a due time later than this, a wrong clock has set it. */
const honestMaxMs = 2 * deferMaxMs;

/** Pending work, due at a time or immediately. */
type Due = readonly [what: string, at?: Date | undefined];

/**
 * Returns a platform's work that is due now, and the time of the next work in milliseconds of true
 * time. If there is neither, the platform is idle.
 */
export function pendingWorkOf(platform: Platform, nowMs: number) {
  const now: string[] = [];
  const later: number[] = [];
  const due = [dueInPayouts(platform, nowMs), dueOrders(platform), dueElsewhere(platform)];
  for (const [what, at] of due.flatMap((each) => [...each])) {
    if (at === undefined || at.getTime() <= nowMs) now.push(what);
    else later.push(at.getTime());
  }
  return { now, laterMs: later.length === 0 ? undefined : Math.min(...later) };
}

function* dueInPayouts({ databases, railState }: Platform, nowMs: number): Generator<Due> {
  for (const payout of payoutsIn(databases.payout)) {
    const { _id, work_due_at, lease, outbox, status, progress } = payout;
    if ((outbox as unknown[]).length > 0) yield [`${_id} has an unpublished event`];
    // The account will be funded soon. Until then the clock isn't advanced.
    if ((progress as Document).stage === "awaiting_funds") yield [`${_id} waits for funds`];
    // Operators settled the payout, but the rail is still polled for a return, without an end.
    const isSettled = (progress as Document).stage === "settled";
    if (isSettled && railState.transfers.get(String(_id))?.isSilent === true) continue;
    const until = (lease as { until: Date } | undefined)?.until;
    const due = work_due_at as Date | undefined;
    const isPutOff =
      status === "initiated" && Number(due) > honestFromMs(payout, nowMs) + honestMaxMs;
    if (isPutOff) yield [`${_id} is put off by an hour`];
    else if (due !== undefined) yield [`${_id} is worked on`, until && until > due ? until : due];
  }
}

/**
 * Returns the time from which a payout's work may be deferred. A payout awaiting approval is due
 * when the approval expires.
 */
function honestFromMs({ progress, approval }: Document, nowMs: number): number {
  const isWaiting = (progress as Document).stage === "awaiting_approval";
  const { expires_at } = (approval ?? {}) as { expires_at?: Date };
  return isWaiting ? Math.max(Number(expires_at), nowMs) : nowMs;
}

function* dueOrders({ databases }: Platform): Generator<Due> {
  for (const order of databases.payout.documents("scheduled_payouts")) {
    const { _id, due_at, state, reserved, created_at } = order;
    if (due_at !== undefined) yield [`${_id} is to be made`, due_at as Date];
    if (state === "reserving") {
      yield [`${_id} is reserving`, new Date(Number(created_at) + abandonedAfterMs)];
    } else if (reserved === true && due_at === undefined) yield [`${_id} keeps its reservation`];
  }
  for (const { _id, due_at, balance } of databases.payout.documents("waiting_payouts")) {
    const { pending_versions, reason, expires_at } = balance as Document;
    // The price is read again every ten minutes, until it is lower or the wait expires.
    const until = reason === "COST_ABOVE_MAXIMUM" ? expires_at : due_at;
    if (due_at !== undefined) yield [`${_id} waits for balance`, until as Date];
    const unpublished = pending_versions as unknown[];
    if (unpublished.length > 0) yield [`${_id} has an unpublished event`];
  }
  for (const { _id, due_at, pending_events, balance } of databases.payout.documents("batches")) {
    const { expires_at, price_minor = "0" } = (balance ?? {}) as Document;
    // The runner polls the balance, until it comes or the wait expires.
    const isShort = String(price_minor) !== "0" && Number(expires_at) > Number(due_at);
    if (due_at !== undefined && !isShort) yield [`${_id} is to be made`, due_at as Date];
    if (due_at !== undefined && isShort) yield [`${_id} waits for balance`, expires_at as Date];
    if ((pending_events as unknown[]).length > 0) yield [`${_id} has an unpublished event`];
  }
}

function* dueElsewhere({ databases, ...others }: Platform): Generator<Due> {
  const { broker, callbacks, operators, treasury, approvers } = others;
  for (const account of databases.payout.documents("accounts")) {
    const { _id, recent, open_holds, credited, low_events = [] } = account;
    if ((recent as unknown[]).length > 0) yield [`${_id} records entries`];
    const hasFalls = (low_events as unknown[]).length > 0;
    if (credited !== undefined || hasFalls) yield [`${_id} has an unpublished event`];
    for (const { payout_id, since } of open_holds as { payout_id: string; since: Date }[]) {
      const orphanedAt = new Date(since.getTime() + orphanedAfterMs);
      yield [`${payout_id} is held and has no payout`, orphanedAt];
    }
  }
  for (const { _id, state } of databases.payout.documents("proposals")) {
    if (state === "approved") yield [`${_id} is approved and has not run`];
  }
  for (const { _id, state, due_at } of databases.notifier.documents("deliveries")) {
    if (state === "pending") yield [`${_id} is sent`, due_at as Date];
  }
  for (const key of operators.unresolved) yield [`${key} has to be resolved by operators`];
  if (approvers.underWay > 0) yield [`${approvers.underWay} decisions of approvers`];
  if (treasury.underWay > 0) yield [`${treasury.underWay} bookings of the treasury`];
  if (broker.depth > 0) yield [`${broker.depth} messages at the broker`];
  if (callbacks.underWay > 0) yield [`${callbacks.underWay} reports of the rail`];
  const reportMs = callbacks.nextMs();
  if (reportMs !== undefined) yield ["the rail reports", new Date(reportMs)];
}
