import type { Platform } from "./platform.ts";
import type { Document } from "./store/value.ts";

/** What is still to be done: now, or not before a moment. */
export type Unrest = {
  /** In words: what somebody should be doing now. */
  readonly now: readonly string[];
  /** When something is due that is not due yet, in milliseconds of true time. */
  readonly laterMs: number | undefined;
};

/** A hold that is younger is its execute's; the sweep takes it over then. */
const orphanedAfterMs = 5_000;

/** What a platform still has to do at a moment; nothing of either means that it rests. */
export function unrestOf(platform: Platform, nowMs: number): Unrest {
  const { databases, broker, callbacks } = platform;
  const now: string[] = [];
  const later: number[] = [];
  const due = (at: unknown, what: string, slackMs = 0) => {
    const dueMs = (at as Date).getTime() + slackMs;
    if (dueMs <= nowMs) now.push(what);
    else later.push(dueMs);
  };
  for (const account of databases.payout.documents("accounts")) {
    if ((account.recent as unknown[]).length > 0) now.push(`${account._id} records entries`);
    for (const { payout_id, since } of account.open_holds as Document[]) {
      due(since, `${payout_id} is held and has no payout`, orphanedAfterMs);
    }
  }
  for (const { _id, work_due_at, lease, outbox, untallied } of databases.payout.documents(
    "payouts",
  )) {
    if ((outbox as unknown[]).length > 0) now.push(`${_id} owes an event`);
    if ((untallied as unknown[]).length > 0) now.push(`${_id} is not counted`);
    const until = (lease as Document | undefined)?.until;
    if (work_due_at !== undefined) due(latest(work_due_at, until), `${_id} is worked on`);
  }
  for (const { _id, state, due_at } of databases.notifier.documents("deliveries")) {
    if (state === "pending") due(due_at, `${_id} is sent`);
  }
  if (broker.depth > 0) now.push(`${broker.depth} messages at the broker`);
  if (callbacks.underWay > 0) now.push(`${callbacks.underWay} reports of the rail`);
  const reportMs = callbacks.nextMs();
  if (reportMs !== undefined) later.push(reportMs);
  return { now, laterMs: later.length === 0 ? undefined : Math.min(...later) };
}

function latest(one: unknown, other: unknown): Date {
  return other !== undefined && (other as Date) > (one as Date) ? (other as Date) : (one as Date);
}
