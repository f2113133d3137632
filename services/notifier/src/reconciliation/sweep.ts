import { setTimeout as pause } from "node:timers/promises";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { SweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import type {
  PayoutOperatorService,
  PublishedEvent,
  PublishedPayout,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { deliveryKeptMs } from "../deliveries/documents.ts";
import { eventKey } from "../events/documents.ts";
import { readEvent } from "../events/intake.ts";
import type { WebhookEvent } from "../events/rules/event.ts";
import type { FoundGap } from "./open-gaps.ts";
import {
  deliveryRepair,
  lackingDeliveries,
  type Repair,
  reachMs,
  repairGaps,
  type SweepDeps,
} from "./repair.ts";
import { type GapKind, type GapTerms, gapKinds, gapWindow } from "./rules/window.ts";
import type { GapStore } from "./store.ts";

export type PayoutEvents = Pick<
  Client<typeof PayoutOperatorService>,
  "listPublishedPayouts" | "republishPayoutEvents"
>;

/** Returns the time span of the next sweep, and a function that records progress. */
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

/**
 * Stores and counts gaps before they are repaired. A gap that is already stored stays unchanged.
 */
async function record(
  { gaps, metrics, clock }: SweepDeps,
  kind: GapKind,
  found: readonly FoundGap[],
): Promise<void> {
  if (found.length > 0) metrics.found(kind, await gaps.record(kind, found, clock.now()));
}

/**
 * Overlap of two sweeps. The payout service uses its own clock, and clocks of two processes differ
 * by at most 5 minutes.
 */
const overlapMs = 360_000;

/**
 * Finds and stores payout events that never arrived. The payout service lists the versions that it
 * published, and publishes the missing ones again. These are stored like events from the broker, so
 * a late arrival of the original changes nothing. The checkpoint moves past a gap when the gap is
 * recorded. If the payout service can't return the list, the checkpoint stays.
 */
export async function sweepPayoutEvents(deps: SweepDeps, payout: PayoutEvents): Promise<void> {
  await inTurn([
    () => findLostEvents(deps, payout),
    () => repairGaps(deps, "event", eventRepair(deps, payout)),
  ]);
}

async function findLostEvents(deps: SweepDeps, payout: PayoutEvents): Promise<void> {
  const { gaps, clock, holdsLease } = deps;
  const oldest = new Date(clock.now().getTime() - reachMs);
  const { window, reached } = await nextWindow(deps, "event", { reachMs, overlapMs });
  if (window === undefined) return;
  const span = { from: timestampFromDate(window.from), to: timestampFromDate(window.to) };
  for (let cursor = ""; await holdsLease(); ) {
    const { payouts, nextCursor } = await payout.listPublishedPayouts({ ...span, cursor });
    await record(deps, "event", await missing(gaps, payouts, oldest));
    const last = payouts.at(-1)?.publishedAt;
    await reached(nextCursor === "" || last === undefined ? window.to : timestampDate(last));
    if (nextCursor === "") return;
    cursor = nextCursor;
  }
}

/** Returns the published versions of payouts that are not stored. */
async function missing(
  gaps: GapStore,
  payouts: readonly PublishedPayout[],
  oldest: Date,
): Promise<FoundGap[]> {
  const expected = payouts.flatMap((payout) =>
    recentVersions(payout, oldest).map((version): FoundGap => {
      const id = eventId(payout.payoutId, version);
      return { key: eventKey(payout.merchantId, id), eventId: id };
    }),
  );
  const there = await gaps.storedEvents(expected.map(({ key }) => key));
  return expected.filter(({ key }) => !there.has(key));
}

/**
 * Returns the versions that can count as gaps. Of an old payout, only the last version is certainly
 * recent.
 */
function recentVersions({ versions, createdAt }: PublishedPayout, oldest: Date): number[] {
  const isOld = createdAt === undefined || timestampDate(createdAt) < oldest;
  return isOld ? versions.slice(-1) : versions;
}

/**
 * Stores lost events that the payout service publishes again. Also closes gaps whose event has
 * arrived in the meantime.
 */
function eventRepair({ gaps, fanOut, clock, log }: SweepDeps, payout: PayoutEvents): Repair {
  return async (batch) => {
    const keys = batch.map(({ key }) => key);
    const stored = await gaps.storedEvents(keys);
    const eventIds = batch.filter(({ key }) => !stored.has(key)).map((gap) => gap.eventId);
    if (eventIds.length === 0) return stored;
    const { events } = await payout.republishPayoutEvents({ eventIds });
    const read = events.flatMap((event) => readAgain(event, clock.now(), log) ?? []);
    if (read.length > 0) await fanOut.publish(read);
    for (const event of read) {
      const fields = { event_id: event.eventId, transaction_id: event.transactionId };
      forRequest(event.origin, () => log.warn(fields, "lost event stored"));
    }
    return gaps.storedEvents(keys);
  };
}

/** Reads an event that was published again, like a message from the broker. */
function readAgain(
  { eventId: id, routingKey: key, body, requestId: request_id }: PublishedEvent,
  now: Date,
  log: Log,
): WebhookEvent | undefined {
  try {
    const origin = request_id === "" ? {} : { request_id };
    return readEvent({ id, key, body, origin }, now);
  } catch (error) {
    log.error({ err: error, event_id: id, key }, "could not read a published event");
    return undefined;
  }
}

type GapLoopOptions = Omit<SweepDeps, "holdsLease"> & {
  readonly lease: SweepLease;
  /** Absent if the deployment has no payout service. Payout events are not swept then. */
  readonly payout: PayoutEvents | undefined;
  readonly everyMs: number;
};

/** Returns the duration of a sweep's lease. While the process is alive, it renews the lease. */
export function gapLeaseMs(everyMs: number): number {
  return Math.max(2 * everyMs, 60_000);
}

/**
 * Delay before the first sweep. It leaves a starting process time for other work. The random part
 * spreads the sweeps of processes that start together.
 */
const firstAfterMs = { atLeast: 2_000, spread: 8_000 };
/**
 * Interval at which the age of the checkpoint is reported. The age is reported even if another
 * process sweeps, or none.
 */
const reportEveryMs = 15_000;

/**
 * Runs the sweeps periodically, in one process at a time. Deliveries are swept first, because this
 * needs no other service.
 */
export function startGapSweep(options: GapLoopOptions): Pick<Loop, "stop"> {
  const { lease, payout, everyMs, log } = options;
  const ended = new AbortController();
  // A sweep stops early if the process ends or loses the lease. The next sweep continues at the
  // checkpoint.
  const holdsLease = async () => !ended.signal.aborted && (await lease.hold()) !== undefined;
  const deps: SweepDeps = { ...options, holdsLease };
  if (payout === undefined)
    log.warn({}, "PAYOUT_URL is not set: lost payout events are not recovered");
  let firstMs = Math.min(everyMs, firstAfterMs.atLeast + Math.random() * firstAfterMs.spread);
  const loop = startLoop({
    name: "webhook-gaps",
    everyMs,
    run: async () => {
      await pause(firstMs, undefined, { signal: ended.signal }).catch(() => undefined);
      firstMs = 0;
      if (!(await holdsLease())) return false;
      await inTurn([
        () => sweepDeliveries(deps),
        async () => (payout === undefined ? undefined : sweepPayoutEvents(deps, payout)),
      ]);
      return false;
    },
    log,
  });
  const ages = startLoop({
    name: "webhook-gap-age",
    everyMs: Math.min(everyMs, reportEveryMs),
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
    metrics.open(kind, await gaps.countOpen(kind));
  }
  return false;
}

/** Maximum age of events whose deliveries are swept. Deliveries are kept longer than this. */
const deliveryReachMs = deliveryKeptMs - 86_400_000;
/**
 * Overlap of two sweeps. It can be short, because all notifier processes use the database's time
 * and a write takes only seconds.
 */
const deliveryOverlapMs = 60_000;

/**
 * Finds stored events that lack a delivery, and creates the delivery. A crash during PublishEvent
 * can leave such events.
 */
export async function sweepDeliveries(deps: SweepDeps): Promise<void> {
  await inTurn([
    () => findLackingDeliveries(deps),
    () => repairGaps(deps, "delivery", deliveryRepair(deps)),
  ]);
}

async function findLackingDeliveries(deps: SweepDeps): Promise<void> {
  const terms = { reachMs: deliveryReachMs, overlapMs: deliveryOverlapMs };
  const { window, reached } = await nextWindow(deps, "delivery", terms);
  if (window === undefined) return;
  for await (const chunk of deps.gaps.receivedIn(window)) {
    if (!(await deps.holdsLease())) return;
    const lacking = await lackingDeliveries(deps.gaps, chunk);
    const found = lacking.map(({ _id: key, event_id }) => ({ key, eventId: event_id }));
    await record(deps, "delivery", found);
    await reached(chunk.at(-1)?.received_at ?? window.from);
  }
  await reached(window.to);
}

/** Runs all steps, even if one fails. Then throws the first error. */
async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
