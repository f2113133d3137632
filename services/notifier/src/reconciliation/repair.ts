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
 * Older events may be deleted here, so they are no gaps. A third of the retention allows for
 * outages.
 */
export const reachMs = (eventKeptMs / 3) * 2;

/** After this many failed batches in a row, a run ends and the next one continues. */
const failedBatchesMax = 10;

/** Repairs gaps of one kind. Returns the keys of those that are closed. */
export type Repair = (batch: readonly Gap[]) => Promise<ReadonlySet<string>>;

/**
 * Repairs due gaps of one kind. A gap that fails waits longer each time and runs in smaller
 * batches, so that it delays no others.
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

/** Due gaps with equally many failures. */
async function nextBatch(gaps: GapStore, kind: GapKind, now: Date): Promise<Gap[]> {
  const due = await gaps.due(kind, now, batchSize(0));
  const size = batchSize(due[0]?.failures ?? 0);
  return due.filter(({ failures }) => batchSize(failures) === size).slice(0, size);
}

/** Returns the number of closed gaps. The others are due later. */
async function repairBatch(
  { gaps, metrics, clock, log }: SweepDeps,
  kind: GapKind,
  batch: readonly Gap[],
  repair: Repair,
): Promise<number> {
  const closed = await repair(batch).catch((error: unknown) => {
    log.error({ err: error, kind, gaps: batch.length }, "repair of gaps failed");
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
  for (const gap of kept) log.error(fields(gap), "gap not repaired");
  for (const gap of given) log.error(fields(gap), "gap given up");
  await gaps.postpone(kind, kept, ({ failures }) => {
    return new Date(clock.now().getTime() + retryAfterMs(failures + 1));
  });
  await gaps.close(kind, [...batch.filter(({ key }) => closed.has(key)), ...given]);
  return closed.size;
}

/** Creates missing deliveries of stored events. A deleted event needs none. */
export function deliveryRepair({ gaps, fanOut, log }: SweepDeps): Repair {
  return async (batch) => {
    const events = await gaps.readEvents(batch.map(({ key }) => key));
    await fanOut.deliver(events);
    const lacking = await lackingDeliveries(gaps, events);
    const closed = batch.filter(({ key }) => !lacking.some(({ _id }) => _id === key));
    for (const { eventId } of closed) log.warn({ event_id: eventId }, "lost deliveries created");
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

/** The ids of an event's required deliveries, one per endpoint chosen at its arrival. */
function deliveryIds(event: EventReach): string[] {
  const { merchant_id: merchantId, event_id: eventId, endpoint_ids, received_at } = event;
  return endpoint_ids.map(
    (endpointId) =>
      deliveryIdentity({ merchantId, eventId, endpointId, replay: 0 }, received_at).id,
  );
}
