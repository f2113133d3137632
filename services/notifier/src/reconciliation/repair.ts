import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { deliveryIdentity } from "../deliveries/rules/delivery.ts";
import { eventKeptMs } from "../events/documents.ts";
import type { FanOut } from "../events/fan-out.ts";
import type { GapMetrics } from "./metrics.ts";
import type { Gap } from "./open-gaps.ts";
import { batchSize, type GapKind, retryAfterMs } from "./rules/window.ts";
import type { EventReach, GapStore } from "./store.ts";

export type SweepDeps = {
  readonly gaps: GapStore;
  readonly fanOut: FanOut;
  readonly metrics: GapMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns true while this process holds the sweep's lease. */
  readonly holdsLease: () => Promise<boolean>;
};

/**
 * Only events up to this age are swept, two thirds of their retention. Older ones may be deleted
 * after an outage, and a deleted event must not count as a gap.
 */
export const reachMs = (eventKeptMs / 3) * 2;

/** A run ends after this many failed batches in a row. The next run continues. */
const failedBatchesMax = 10;

/** Repairs gaps of one kind. Returns the keys of the closed gaps. */
export type Repair = (batch: readonly Gap[]) => Promise<ReadonlySet<string>>;

/**
 * Repairs due gaps of one kind. Each failure makes a gap wait longer and run in a smaller batch. So
 * a failing gap doesn't delay others.
 */
export async function repairGaps(deps: SweepDeps, kind: GapKind, repair: Repair): Promise<void> {
  const { gaps, clock, holdsLease, metrics } = deps;
  let failedBatches = 0;
  while (failedBatches < failedBatchesMax && (await holdsLease())) {
    const batch = await nextBatch(gaps, kind, clock.now());
    if (batch.length === 0) break;
    const closed = await repairBatch(deps, kind, batch, repair);
    failedBatches = closed === 0 ? failedBatches + 1 : 0;
  }
  metrics.open(kind, await gaps.countOpen(kind));
}

/** Returns due gaps that all have the same number of failures. */
async function nextBatch(gaps: GapStore, kind: GapKind, now: Date): Promise<Gap[]> {
  const due = await gaps.due(kind, now, batchSize(0));
  const size = batchSize(due[0]?.failures ?? 0);
  return due.filter(({ failures }) => batchSize(failures) === size).slice(0, size);
}

/** Repairs a batch. Returns the number of closed gaps. The other gaps are due again later. */
async function repairBatch(
  { gaps, metrics, clock, log }: SweepDeps,
  kind: GapKind,
  batch: readonly Gap[],
  repair: Repair,
): Promise<number> {
  const closed = await repair(batch).catch((error: unknown) => {
    log.error(
      { err: error, kind, gaps: batch.length },
      "repairing lost events or deliveries failed; it will be retried",
    );
    return new Set<string>();
  });
  metrics.repaired(kind, closed.size);
  const oldest = clock.now().getTime() - reachMs;
  const open = batch.filter(({ key }) => !closed.has(key));
  const [kept, given] = [
    open.filter(({ foundAt }) => foundAt.getTime() >= oldest),
    open.filter(({ foundAt }) => foundAt.getTime() < oldest),
  ];
  const fields = (gap: Gap) => ({ event_id: gap.eventId, kind, failures: gap.failures + 1 });
  for (const gap of kept)
    log.error(fields(gap), "lost event or deliveries not repaired; it will be retried");
  for (const gap of given)
    log.error(fields(gap), "lost event or deliveries given up after repeated failures");
  await gaps.postpone(kind, kept, ({ failures }) => {
    return new Date(clock.now().getTime() + retryAfterMs(failures + 1));
  });
  await gaps.close(kind, [...batch.filter(({ key }) => closed.has(key)), ...given]);
  return closed.size;
}

/** Creates the missing deliveries of stored events. If an event was deleted, its gap is closed. */
export function deliveryRepair({ gaps, fanOut, log }: SweepDeps): Repair {
  return async (batch) => {
    const events = await gaps.readEvents(batch.map(({ key }) => key));
    await fanOut.deliver(events);
    const lacking = await lackingDeliveries(gaps, events);
    const closed = batch.filter(({ key }) => !lacking.some(({ _id }) => _id === key));
    for (const { eventId } of closed)
      log.warn({ event_id: eventId }, "created the lost deliveries of an event");
    return new Set(closed.map(({ key }) => key));
  };
}

/** Returns the events that lack a delivery. */
export async function lackingDeliveries<T extends EventReach>(
  gaps: GapStore,
  events: readonly T[],
): Promise<T[]> {
  const stored = await gaps.storedDeliveries(events.flatMap(deliveryIds));
  return events.filter((event) => deliveryIds(event).some((id) => !stored.has(id)));
}

/**
 * Returns the ids of the deliveries that an event must have. There is one for each endpoint that
 * was chosen when the event arrived.
 */
function deliveryIds(event: EventReach): string[] {
  const { merchant_id: merchantId, event_id: eventId, endpoint_ids, received_at } = event;
  return endpoint_ids.map(
    (endpointId) =>
      deliveryIdentity({ merchantId, eventId, endpointId, replay: 0 }, received_at).id,
  );
}
