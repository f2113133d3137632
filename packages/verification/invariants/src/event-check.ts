import type { Delivery, Endpoint, EndpointHealth, Payout, StoredEvent } from "./documents.ts";
import { expectationsOf, type Finding } from "./finding.ts";

/** What belongs to an event, as far as it was found. */
export type EventRelations = {
  /** Of a payout's event. */
  readonly payout: Payout | undefined;
  /** All of the event's merchant, and those that it names. */
  readonly endpoints: readonly Endpoint[];
  readonly deliveries: readonly Delivery[];
};

/** Deliveries are deleted 30 days after their end; before that all of them are there. */
const deliveriesKeptMs = 30 * 86_400_000;
/** An endpoint that is as young as this may have come after the event's endpoints were read. */
const endpointSettledMs = 30_000;
/** Attempts at most, and what a worker that died may leave unclaimed. */
const overdueMs = 120_000;
/** From its first lease on a delivery is tried for so long; one without, for longer. */
const triedForMs = 86_400_000;

/** The type of the events of a payout's versions. */
export const payoutEvents = "payout_session";

/** An event goes to every endpoint that its merchant had, and to no other merchant's. */
export function checkEvent(event: StoredEvent, relations: EventRelations, now: Date): Finding[] {
  const { findings, expect } = expectationsOf(event._id);
  const { payout, endpoints, deliveries } = relations;
  const isKeyed = event._id === `${event.merchant_id}/${event.event_id}`;
  expect(12, isKeyed, "is stored under another merchant or event than its own");
  if (event.transaction_type === payoutEvents) {
    expect(8, payout !== undefined, "tells of a payout that there is not");
    const isOwn = payout === undefined || payout.merchant_id === event.merchant_id;
    expect(12, isOwn, "is of another merchant than its payout");
    const id = `evt_${event.transaction_id.slice("po_".length)}_${event.sequence}`;
    expect(7, event.event_id === id, "has an id that is not its payout's and version's");
  }
  for (const id of event.endpoint_ids) {
    const endpoint = endpoints.find(({ _id }) => _id === id);
    const isOwn = endpoint?.merchant_id === event.merchant_id;
    expect(12, isOwn, `goes to ${id}, which its merchant does not have`);
  }
  const received = event.received_at.getTime();
  if (received < now.getTime() - deliveriesKeptMs) return findings;
  const awaited = new Set([...event.endpoint_ids, ...awaitedBy(event, endpoints)]);
  for (const id of awaited) {
    const made = deliveries.filter(({ endpoint_id, replay }) => endpoint_id === id && replay === 0);
    expect(8, made.length === 1, `has ${made.length} deliveries to ${id}`);
  }
  return findings;
}

/** The endpoints that were there, without doubt, when a payout's event arrived. */
function awaitedBy(event: StoredEvent, endpoints: readonly Endpoint[]): string[] {
  if (event.transaction_type !== payoutEvents) return [];
  const received = event.received_at.getTime();
  return endpoints
    .filter(
      ({ merchant_id, created_at, deleted_at }) =>
        merchant_id === event.merchant_id &&
        created_at.getTime() < received - endpointSettledMs &&
        deleted_at === null,
    )
    .filter((endpoint) => wantsBeyondDoubt(event, endpoint))
    .map(({ _id }) => _id);
}

/** Whether an endpoint wants an event, and has wanted it when it arrived. */
function wantsBeyondDoubt(event: StoredEvent, endpoint: Endpoint): boolean {
  const { event_types: types = ["*"], operations = [] } = endpoint;
  const since = event.received_at.getTime() - endpointSettledMs;
  const isRetyped = ({ at, before }: (typeof operations)[number]) =>
    before?.event_types !== undefined && at.getTime() >= since;
  if (operations.some(isRetyped)) return false;
  const { transaction_type: type, status } = event;
  return ["*", type, `${type}.${status}`].some((each) => types.includes(each));
}

/** What belongs to a delivery, as far as it was found. */
export type DeliveryRelations = {
  readonly event: StoredEvent | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly health: EndpointHealth | undefined;
};

/** A delivery is its event's, and has an end that its attempts bear out, or a next attempt. */
export function checkDelivery(
  delivery: Delivery,
  relations: DeliveryRelations,
  now: Date,
): Finding[] {
  const { findings, expect } = expectationsOf(delivery._id);
  const { event } = relations;
  const isMadeUp = delivery.test === true;
  expect(8, isMadeUp || event !== undefined, "is of an event that there is not");
  const isOwn = event === undefined || event.merchant_id === delivery.merchant_id;
  expect(12, isOwn, "is of another merchant than its event");
  const { state, attempts, due_at } = delivery;
  switch (state) {
    case "delivered": {
      const isAcknowledged = attempts.at(-1)?.status_code === 200;
      expect(8, isAcknowledged, "is delivered and its last attempt was not answered with 200");
      break;
    }
    case "pending": {
      const isLate = due_at !== null && isOverdue(due_at, relations, now);
      expect(8, due_at !== null && !isLate, "is pending and nobody sends it");
      break;
    }
    case "exhausted": {
      const isTried = delivery.attempts_count > 0;
      // Its attempts were all cut off by crashes, or its endpoint was paused.
      const isOld = delivery.updated_at.getTime() - delivery.created_at.getTime() >= triedForMs;
      expect(8, isTried || isOld, "is exhausted and was never tried");
      break;
    }
    default:
      expect(8, state === "cancelled", `has the state ${state}`);
  }
  return findings;
}

/** Whether a delivery should have been sent by now: its endpoint takes events. */
function isOverdue(due: Date, { endpoint, health }: DeliveryRelations, now: Date): boolean {
  if (endpoint?.paused_at || endpoint?.verified_at === null) return false;
  const late = now.getTime() - overdueMs;
  // Deliveries wait, one by one, for an endpoint that is down or slow: that breaks no invariant.
  const { consecutive_failures: failures = 0, last_delivered_at: deliveredAt } = health ?? {};
  if (failures > 0 || (deliveredAt?.getTime() ?? 0) > late) return false;
  // What waited for a resumption is due since then.
  return Math.max(due.getTime(), endpoint?.updated_at?.getTime() ?? 0) < late;
}
