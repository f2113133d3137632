import type { DeliveryDocument } from "../documents.ts";
import { arrivalMatters } from "../rules/order.ts";

/** An event of a transaction, by its sequence number. */
export type EventNumber = Pick<
  DeliveryDocument,
  "merchant_id" | "transaction_type" | "transaction_id" | "sequence"
>;

/** An event's number as a map key. */
export function numberKey(number: EventNumber): string {
  const { merchant_id, transaction_type, transaction_id, sequence } = number;
  return JSON.stringify([merchant_id, transaction_type, transaction_id, sequence]);
}

/** A delivery, as far as its place in its line goes. */
type Placed = EventNumber & Pick<DeliveryDocument, "endpoint_id" | "replay">;

/** Some 8 MiB. Most payouts end before so many other events have come. */
const rememberedMax = 20_000;

/**
 * Remembers which endpoints a payout's stored events go to, until their deliveries have ended.
 * Neither ever changes back, and a payout has one event of each number. Other publishers may count
 * otherwise, so theirs are always looked up.
 */
export function createRecentEvents(max = rememberedMax) {
  /** By the event's number: the endpoints at which its delivery may not have ended. */
  const unended = new Map<string, Set<string>>();
  return {
    /** These are stored, by this process or another one. */
    stored: (events: readonly (EventNumber & { readonly endpoint_ids: readonly string[] })[]) => {
      for (const event of events) {
        const key = numberKey(event);
        if (arrivalMatters(event.transaction_type) || unended.has(key)) continue;
        unended.set(key, new Set(event.endpoint_ids));
        const [oldest] = unended.size > max ? unended.keys() : [];
        if (oldest !== undefined) unended.delete(oldest);
      }
    },
    /** This delivery is delivered, exhausted or cancelled. */
    ended: (delivery: Placed): void => {
      if (delivery.replay === 0) unended.get(numberKey(delivery))?.delete(delivery.endpoint_id);
    },
    /** Whether all events before are known to be stored, and not to hold it up. */
    isNext: (delivery: Placed): boolean => {
      for (let sequence = delivery.sequence - 1; sequence > 0; sequence -= 1) {
        const endpointIds = unended.get(numberKey({ ...delivery, sequence }));
        if (endpointIds === undefined || endpointIds.has(delivery.endpoint_id)) return false;
      }
      return true;
    },
  };
}
