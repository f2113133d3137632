import type { DeliveryDocument } from "../documents.ts";
import { arrivalMatters } from "../rules/order.ts";

/** Identifies an event of a transaction by its sequence number. */
export type EventNumber = Pick<
  DeliveryDocument,
  "merchant_id" | "transaction_type" | "transaction_id" | "sequence"
>;

/** Returns the number of an event as a key for maps. */
export function numberKey(number: EventNumber): string {
  const { merchant_id, transaction_type, transaction_id, sequence } = number;
  return JSON.stringify([merchant_id, transaction_type, transaction_id, sequence]);
}

/** The fields that determine a delivery's position under its ordering key. */
type Placed = EventNumber & Pick<DeliveryDocument, "endpoint_id" | "replay">;

/** Maximum events in memory, about 8 MiB. Most payouts end before this many other events arrive. */
const rememberedMax = 20_000;

/**
 * Remembers the endpoints of stored payout events until their deliveries have ended. This is safe
 * for two reasons. A stored event and an ended delivery stay so, and each event of a payout has its
 * own number. Other publishers may use numbers differently, so their events always need a query.
 */
export function createRecentEvents(max = rememberedMax) {
  /** The endpoints whose delivery of an event may not have ended, keyed by the event's number. */
  const unended = new Map<string, Set<string>>();
  return {
    /** Records events that this process or another one stored. */
    stored: (events: readonly (EventNumber & { readonly endpoint_ids: readonly string[] })[]) => {
      for (const event of events) {
        const key = numberKey(event);
        if (arrivalMatters(event.transaction_type) || unended.has(key)) continue;
        unended.set(key, new Set(event.endpoint_ids));
        const [oldest] = unended.size > max ? unended.keys() : [];
        if (oldest !== undefined) unended.delete(oldest);
      }
    },
    /** Records that a delivery has ended: it was delivered, exhausted or cancelled. */
    ended: (delivery: Placed): void => {
      if (delivery.replay === 0) unended.get(numberKey(delivery))?.delete(delivery.endpoint_id);
    },
    /**
     * Returns true if all earlier events are known to be stored and the delivery need not wait for
     * any of them.
     */
    isNext: (delivery: Placed): boolean => {
      for (let sequence = delivery.sequence - 1; sequence > 0; sequence -= 1) {
        const endpointIds = unended.get(numberKey({ ...delivery, sequence }));
        if (endpointIds === undefined || endpointIds.has(delivery.endpoint_id)) return false;
      }
      return true;
    },
  };
}
