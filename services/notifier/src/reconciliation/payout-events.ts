import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type {
  PayoutOperationsService,
  PublishedEvent,
  PublishedPayout,
} from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { eventKeptMs, eventKey } from "../events/documents.ts";
import type { FanOut } from "../events/fan-out.ts";
import { readEvent } from "../events/intake.ts";
import type { WebhookEvent } from "../events/rules/event.ts";
import type { GapMetrics } from "./metrics.ts";
import { gapWindow } from "./rules/window.ts";
import type { GapStore } from "./store.ts";

/** What payout is asked: its operations, of which two are of use here. */
export type PayoutEvents = Pick<
  Client<typeof PayoutOperationsService>,
  "listPublishedPayouts" | "republishPayoutEvents"
>;

export type SweepDeps = {
  readonly gaps: GapStore;
  readonly fanOut: FanOut;
  readonly metrics: GapMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this process still is the one that sweeps. */
  readonly holdsLease: () => Promise<boolean>;
};

/** What is older may be deleted here, and is no gap; a third of its time is left for outages. */
const reachMs = (eventKeptMs / 3) * 2;
/** Payout's time is its own process's: more than the clocks of two are ever apart (5 minutes). */
const overlapMs = 360_000;
/** As many as payout tells at once. */
const eventsMax = 100;

/** A version of a payout that must be stored as an event. */
type Expected = { readonly key: string; readonly eventId: string };

/**
 * Finds events that payout has published and that never arrived, and stores them as if they had:
 * payout tells which versions are published, and those that are missing once more. Storing is the
 * same as for the broker's, so that an event that arrives after all changes nothing. The checkpoint
 * moves behind what was looked at: where payout does not answer, all of it is looked at again.
 */
export async function sweepPayoutEvents(deps: SweepDeps, payout: PayoutEvents): Promise<void> {
  const { gaps, clock, metrics, holdsLease } = deps;
  const through = await gaps.through("event");
  const now = clock.now();
  if (through !== undefined) metrics.through("event", now.getTime() - through.getTime());
  const window = gapWindow(through, now, { reachMs, overlapMs });
  if (window === undefined) return;
  const oldest = new Date(now.getTime() - reachMs);
  const span = { from: timestampFromDate(window.from), to: timestampFromDate(window.to) };
  for (let cursor = ""; await holdsLease(); ) {
    const { payouts, nextCursor } = await payout.listPublishedPayouts({ ...span, cursor });
    await repair(deps, payout, await missing(gaps, payouts, oldest));
    const last = payouts.at(-1)?.publishedAt;
    const until = nextCursor === "" || last === undefined ? window.to : timestampDate(last);
    await gaps.advance("event", until);
    metrics.through("event", clock.now().getTime() - until.getTime());
    if (nextCursor === "") return;
    cursor = nextCursor;
  }
}

/** The published versions of payouts that are not stored. */
async function missing(
  gaps: GapStore,
  payouts: readonly PublishedPayout[],
  oldest: Date,
): Promise<Expected[]> {
  const expected = payouts.flatMap((payout) =>
    recentVersions(payout, oldest).map((version): Expected => {
      const id = eventId(payout.payoutId, version);
      return { key: eventKey(payout.merchantId, id), eventId: id };
    }),
  );
  const there = await gaps.storedEvents(expected.map(({ key }) => key));
  return expected.filter(({ key }) => !there.has(key));
}

/** Of an old payout the last version alone is sure to be recent. */
function recentVersions({ versions, createdAt }: PublishedPayout, oldest: Date): number[] {
  const isOld = createdAt === undefined || timestampDate(createdAt) < oldest;
  return isOld ? versions.slice(-1) : versions;
}

async function repair(
  { gaps, fanOut, metrics, clock, log }: SweepDeps,
  payout: PayoutEvents,
  lost: readonly Expected[],
): Promise<void> {
  for (let at = 0; at < lost.length; at += eventsMax) {
    const asked = lost.slice(at, at + eventsMax);
    const eventIds = asked.map((each) => each.eventId);
    const { events } = await payout.republishPayoutEvents({ eventIds });
    const read = events.flatMap((event) => readAgain(event, clock.now(), log) ?? []);
    if (read.length > 0) await fanOut.publish(read);
    const there = await gaps.storedEvents(asked.map(({ key }) => key));
    metrics.swept("event", asked.length, there.size);
    for (const event of read) {
      const fields = { event_id: event.eventId, transaction_id: event.transactionId };
      forRequest(event.requestId, () => log.warn(fields, "lost event stored"));
    }
    for (const { key, eventId: id } of asked) {
      if (!there.has(key)) log.error({ event_id: id }, "lost event cannot be told again");
    }
  }
}

/** An event that payout told again, as the broker would have brought it. */
function readAgain(
  { eventId: id, routingKey: key, body, requestId }: PublishedEvent,
  now: Date,
  log: Log,
): WebhookEvent | undefined {
  try {
    return readEvent({ id, key, body, ...(requestId === "" ? {} : { requestId }) }, now);
  } catch (error) {
    log.error({ err: error, event_id: id, key }, "event not readable");
    return undefined;
  }
}
