import { deliveryKeptMs } from "../deliveries/documents.ts";
import { deliveryIdentity } from "../deliveries/rules/delivery.ts";
import type { SweepDeps } from "./payout-events.ts";
import { gapWindow } from "./rules/window.ts";
import type { EventReach } from "./store.ts";

/** A delivery is kept for longer than this, whatever became of it. */
const reachMs = deliveryKeptMs - 86_400_000;
/** All processes of the notifier take their time from the database; a write takes seconds. */
const overlapMs = 60_000;

/**
 * Finds stored events that lack a delivery, and makes it. A message of the broker comes again until
 * its deliveries are there; a caller of PublishEvent that died with the process never does.
 */
export async function sweepDeliveries(deps: SweepDeps): Promise<void> {
  const { gaps, clock, metrics, holdsLease } = deps;
  const through = await gaps.through("delivery");
  const now = clock.now();
  if (through !== undefined) metrics.through("delivery", now.getTime() - through.getTime());
  const window = gapWindow(through, now, { reachMs, overlapMs });
  if (window === undefined) return;
  const reached = async (until: Date) => {
    await gaps.advance("delivery", until);
    metrics.through("delivery", clock.now().getTime() - until.getTime());
  };
  for await (const chunk of gaps.receivedIn(window)) {
    if (!(await holdsLease())) return;
    await repair(deps, chunk);
    await reached(chunk.at(-1)?.received_at ?? window.from);
  }
  await reached(window.to);
}

async function repair(
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
