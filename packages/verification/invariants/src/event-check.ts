import type { Delivery, Endpoint, EndpointHealth, Payout, StoredEvent } from "./documents.ts";
import { expectationsOf, type Finding } from "./finding.ts";

export type EventRelations = {
  /** The payout, or its record if it never became one: it waited for balance. */
  readonly payout: Pick<Payout, "merchant_id"> | undefined;
  /** All endpoints of the merchant, and the endpoints that the event names. */
  readonly endpoints: readonly Endpoint[];
  readonly deliveries: readonly Delivery[];
};

/** Deliveries are deleted 30 days after they end. */
const deliveriesKeptMs = 30 * 86_400_000;
/**
 * An endpoint younger than this may have been created after the notifier read the endpoints for the
 * event.
 */
const endpointSettledMs = 30_000;
/** Allows for the longest attempt and the lease of a process that died. */
const overdueMs = 120_000;
/** Retry period of a delivery that is leased. Without a lease the period is longer. */
const triedForMs = 86_400_000;

export const payoutEvents = "payout_session";

/**
 * Checks that an event went to every endpoint of its merchant, and to no other merchant's endpoint.
 */
export function checkEvent(event: StoredEvent, relations: EventRelations, now: Date): Finding[] {
  const { findings, expect } = expectationsOf(event._id);
  const { payout, endpoints, deliveries } = relations;
  const isKeyed = event._id === `${event.merchant_id}/${event.event_id}`;
  expect(12, isKeyed, "is stored under another merchant or event than its own");
  if (event.transaction_type === payoutEvents) {
    expect(8, payout !== undefined, "names a payout that does not exist");
    const isOwn = payout === undefined || payout.merchant_id === event.merchant_id;
    expect(12, isOwn, "is of another merchant than its payout");
    const id = `evt_${event.transaction_id.slice("po_".length)}_${event.sequence}`;
    expect(7, event.event_id === id, "has an id that does not follow from its payout and version");
  }
  for (const id of event.endpoint_ids) {
    const endpoint = endpoints.find(({ _id }) => _id === id);
    const isOwn = endpoint?.merchant_id === event.merchant_id;
    expect(12, isOwn, `goes to ${id}, which is not an endpoint of its merchant`);
  }
  const received = event.received_at.getTime();
  if (received < now.getTime() - deliveriesKeptMs) return findings;
  const awaited = new Set([...event.endpoint_ids, ...awaitedBy(event, endpoints)]);
  for (const id of awaited) {
    const created = deliveries.filter(
      ({ endpoint_id, replay }) => endpoint_id === id && replay === 0,
    );
    expect(8, created.length === 1, `has ${created.length} deliveries to ${id}`);
  }
  return findings;
}

/** Returns the endpoints that certainly existed when a payout's event arrived. */
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
    .filter((endpoint) => wasSubscribed(event, endpoint))
    .map(({ _id }) => _id);
}

/** Checks that an endpoint certainly subscribed to an event when it arrived. */
function wasSubscribed(event: StoredEvent, endpoint: Endpoint): boolean {
  const { event_types: types = ["*"], operations = [] } = endpoint;
  const since = event.received_at.getTime() - endpointSettledMs;
  const isRetyped = ({ at, before }: (typeof operations)[number]) =>
    before?.event_types !== undefined && at.getTime() >= since;
  if (operations.some(isRetyped)) return false;
  const { transaction_type: type, status } = event;
  return ["*", type, `${type}.${status}`].some((each) => types.includes(each));
}

export type DeliveryRelations = {
  readonly event: StoredEvent | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly health: EndpointHealth | undefined;
};

/**
 * Checks that a delivery belongs to its event. The delivery must have a next attempt, or an end
 * that its attempts confirm.
 */
export function checkDelivery(
  delivery: Delivery,
  relations: DeliveryRelations,
  now: Date,
): Finding[] {
  const { findings, expect } = expectationsOf(delivery._id);
  const { event } = relations;
  const isMadeUp = delivery.test === true;
  expect(8, isMadeUp || event !== undefined, "is of an event that does not exist");
  const isOwn = event === undefined || event.merchant_id === delivery.merchant_id;
  expect(12, isOwn, "is of another merchant than its event");
  const { state, attempts, due_at } = delivery;
  switch (state) {
    case "delivered": {
      const isAcknowledged = attempts.at(-1)?.status_code === 200;
      expect(8, isAcknowledged, "is delivered, but its last attempt did not get status 200");
      break;
    }
    case "pending": {
      const isLate = due_at !== null && isOverdue(due_at, relations, now);
      expect(8, due_at !== null && !isLate, "is pending, but no process sends it");
      break;
    }
    case "exhausted": {
      const isTried = delivery.attempts_count > 0;
      // Either crashes interrupted all attempts of the delivery, or the endpoint was paused.
      const isOld = delivery.updated_at.getTime() - delivery.created_at.getTime() >= triedForMs;
      expect(8, isTried || isOld, "is exhausted, but was never attempted");
      break;
    }
    default:
      expect(8, state === "cancelled", `has the state ${state}`);
  }
  return findings;
}

/** Checks whether a delivery is late, given that its endpoint accepts events. */
function isOverdue(due: Date, { endpoint, health }: DeliveryRelations, now: Date): boolean {
  if (endpoint?.paused_at || endpoint?.verified_at === null) return false;
  const late = now.getTime() - overdueMs;
  // If an endpoint is down or slow, its deliveries wait for each other. That breaks no invariant.
  const { consecutive_failures: failures = 0, last_delivered_at: deliveredAt } = health ?? {};
  if (failures > 0 || (deliveredAt?.getTime() ?? 0) > late) return false;
  // After a resumption, deliveries are due from the time of the resumption.
  return Math.max(due.getTime(), endpoint?.updated_at?.getTime() ?? 0) < late;
}
