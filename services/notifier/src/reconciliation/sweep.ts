import { setTimeout as pause } from "node:timers/promises";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { SweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import type {
  PayoutOperationsService,
  PublishedEvent,
  PublishedPayout,
} from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { deliveryKeptMs } from "../deliveries/documents.ts";
import { deliveryIdentity } from "../deliveries/rules/delivery.ts";
import { eventKeptMs, eventKey } from "../events/documents.ts";
import type { FanOut } from "../events/fan-out.ts";
import { readEvent } from "../events/intake.ts";
import type { WebhookEvent } from "../events/rules/event.ts";
import { type GapKind, type GapTerms, gapKinds, gapWindow } from "./rules/window.ts";
import type { EventReach, GapStore } from "./store.ts";

/** The RPCs of payout that a sweep uses. */
export type PayoutEvents = Pick<
  Client<typeof PayoutOperationsService>,
  "listPublishedPayouts" | "republishPayoutEvents"
>;

/** What a sweep uses. */
export type SweepDeps = {
  readonly gaps: GapStore;
  readonly fanOut: FanOut;
  readonly metrics: GapMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this process still is the one that sweeps. */
  readonly holdsLease: () => Promise<boolean>;
};

/** The metrics of the sweeps. */
export type GapMetrics = ReturnType<typeof createGapMetrics>;

/** Registers the metrics of the sweeps. */
export function createGapMetrics(metrics: Metrics) {
  const found = metrics.counter(
    "disburse_webhook_gaps_found_total",
    "Events or deliveries that should have been stored and were not.",
    ["kind"],
  );
  const repaired = metrics.counter(
    "disburse_webhook_gaps_repaired_total",
    "Those of them that a sweep stored.",
    ["kind"],
  );
  const age = metrics.gauge(
    "disburse_webhook_gap_checkpoint_age_seconds",
    "How long ago the span ended that was last swept, by whichever process.",
    ["kind"],
  );
  // An increase counts from a sample on: without the zeros the first gap would be none.
  for (const kind of gapKinds) found.inc({ kind }, 0);
  return {
    /** So many were missing, and so many of them are stored now. */
    swept: (kind: GapKind, missing: number, stored: number): void => {
      found.inc({ kind }, missing);
      repaired.inc({ kind }, stored);
    },
    /** Events up to this age were swept. */
    through: (kind: GapKind, ageMs: number): void => age.set({ kind }, ageMs / 1_000),
  };
}

/** The window that a sweep of a kind looks at now, and how to record how far it came. */
async function nextWindow({ gaps, clock, metrics }: SweepDeps, kind: GapKind, terms: GapTerms) {
  const report = (to: Date) => metrics.through(kind, clock.now().getTime() - to.getTime());
  const through = await gaps.through(kind);
  if (through !== undefined) report(through);
  const reached = async (to: Date): Promise<void> => {
    await gaps.advance(kind, to);
    report(to);
  };
  return { window: gapWindow(through, clock.now(), terms), reached };
}

/** What is older may be deleted here, and is no gap; a third of its time is left for outages. */
const reachMs = (eventKeptMs / 3) * 2;
/** Payout's time is its own process's: more than the clocks of two are ever apart (5 minutes). */
const overlapMs = 360_000;
/** As many as payout republishes at once. */
const eventsMax = 100;

/** A version of a payout that must be stored as an event. */
type Expected = { readonly key: string; readonly eventId: string };

/**
 * Finds events that payout has published and that never arrived, and stores them: payout lists the
 * published versions, and republishes the missing ones. They are stored like the broker's, so that
 * a late arrival changes nothing. Where payout does not answer, the checkpoint stays.
 */
export async function sweepPayoutEvents(deps: SweepDeps, payout: PayoutEvents): Promise<void> {
  const { gaps, clock, holdsLease } = deps;
  const oldest = new Date(clock.now().getTime() - reachMs);
  const { window, reached } = await nextWindow(deps, "event", { reachMs, overlapMs });
  if (window === undefined) return;
  const span = { from: timestampFromDate(window.from), to: timestampFromDate(window.to) };
  for (let cursor = ""; await holdsLease(); ) {
    const { payouts, nextCursor } = await payout.listPublishedPayouts({ ...span, cursor });
    await repair(deps, payout, await missing(gaps, payouts, oldest));
    const last = payouts.at(-1)?.publishedAt;
    await reached(nextCursor === "" || last === undefined ? window.to : timestampDate(last));
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
      forRequest(event.origin, () => log.warn(fields, "lost event stored"));
    }
    for (const { key, eventId: id } of asked) {
      if (!there.has(key)) log.error({ event_id: id }, "lost event cannot be told again");
    }
  }
}

/** An event that payout republished, as the broker would have brought it. */
function readAgain(
  { eventId: id, routingKey: key, body, requestId: request_id }: PublishedEvent,
  now: Date,
  log: Log,
): WebhookEvent | undefined {
  try {
    const origin = request_id === "" ? {} : { request_id };
    return readEvent({ id, key, body, origin }, now);
  } catch (error) {
    log.error({ err: error, event_id: id, key }, "event not readable");
    return undefined;
  }
}

type GapLoopOptions = Omit<SweepDeps, "holdsLease"> & {
  readonly lease: SweepLease;
  /** Absent where the deployment names no payout service: its events are not looked at then. */
  readonly payout: PayoutEvents | undefined;
  readonly everyMs: number;
};

/** How long a sweep's lease lasts; a live holder renews it. */
export function gapLeaseMs(everyMs: number): number {
  return Math.max(2 * everyMs, 60_000);
}

/** Leaves a starting process time for other work, and spreads processes that start together. */
const firstAfterMs = { atLeast: 2_000, spread: 8_000 };
/** The checkpoint's age grows also while no process sweeps, or another one does. */
const tellEveryMs = 15_000;

/** Sweeps periodically, in one process at a time; deliveries first: they need no other service. */
export function startGapSweep(options: GapLoopOptions): Pick<Loop, "stop"> {
  const { lease, payout, everyMs, log } = options;
  const ended = new AbortController();
  // A sweep of a long time need not come to its end: the next one goes on from there.
  const holdsLease = async () => !ended.signal.aborted && (await lease.hold()) !== undefined;
  const deps: SweepDeps = { ...options, holdsLease };
  if (payout === undefined) log.warn({}, "no PAYOUT_URL: lost events of payouts are not swept");
  let firstMs = Math.min(everyMs, firstAfterMs.atLeast + Math.random() * firstAfterMs.spread);
  const loop = startLoop({
    name: "webhook-gaps",
    everyMs,
    run: async () => {
      await pause(firstMs, undefined, { signal: ended.signal }).catch(() => undefined);
      firstMs = 0;
      if (!(await holdsLease())) return false;
      await sweepDeliveries(deps);
      if (payout !== undefined) await sweepPayoutEvents(deps, payout);
      return false;
    },
    log,
  });
  const ages = startLoop({
    name: "webhook-gap-age",
    everyMs: Math.min(everyMs, tellEveryMs),
    run: () => reportAges(options),
    log,
  });
  return {
    stop: async () => {
      ended.abort();
      await Promise.all([loop.stop(), ages.stop()]);
      await lease.release();
    },
  };
}

async function reportAges({ gaps, clock, metrics }: GapLoopOptions): Promise<false> {
  for (const kind of gapKinds) {
    const through = await gaps.through(kind);
    if (through !== undefined) metrics.through(kind, clock.now().getTime() - through.getTime());
  }
  return false;
}

/** A delivery is kept for longer than this, whatever became of it. */
const deliveryReachMs = deliveryKeptMs - 86_400_000;
/** All processes of the notifier take their time from the database; a write takes seconds. */
const deliveryOverlapMs = 60_000;

/**
 * Finds stored events that lack a delivery, as a crash during PublishEvent leaves, and makes it.
 */
export async function sweepDeliveries(deps: SweepDeps): Promise<void> {
  const terms = { reachMs: deliveryReachMs, overlapMs: deliveryOverlapMs };
  const { window, reached } = await nextWindow(deps, "delivery", terms);
  if (window === undefined) return;
  for await (const chunk of deps.gaps.receivedIn(window)) {
    if (!(await deps.holdsLease())) return;
    await repairDeliveries(deps, chunk);
    await reached(chunk.at(-1)?.received_at ?? window.from);
  }
  await reached(window.to);
}

async function repairDeliveries(
  { gaps, fanOut, metrics, log }: SweepDeps,
  chunk: readonly EventReach[],
): Promise<void> {
  const ids = chunk.flatMap(deliveryIds);
  const before = await gaps.storedDeliveries(ids);
  if (before.size === ids.length) return;
  const incomplete = chunk.filter((event) => deliveryIds(event).some((id) => !before.has(id)));
  await fanOut.deliver(await gaps.readEvents(incomplete.map(({ _id }) => _id)));
  const after = await gaps.storedDeliveries(ids);
  metrics.swept("delivery", ids.length - before.size, after.size - before.size);
  for (const { event_id } of incomplete) log.warn({ event_id }, "lost deliveries made");
}

/** The deliveries that an event must have: one to each endpoint that was chosen when it came. */
function deliveryIds(event: EventReach): string[] {
  const { merchant_id: merchantId, event_id: eventId, endpoint_ids, received_at } = event;
  return endpoint_ids.map(
    (endpointId) =>
      deliveryIdentity({ merchantId, eventId, endpointId, replay: 0 }, received_at).id,
  );
}
