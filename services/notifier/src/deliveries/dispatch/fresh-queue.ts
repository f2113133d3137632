import type { DeliveryDocument } from "../documents.ts";

/**
 * Maximum deliveries in the queue. With the largest bodies they take 32 MiB. Deliveries beyond the
 * maximum are claimed from the store.
 */
const queuedMax = 512;
/** Maximum deliveries of one endpoint, so that a slow endpoint can't fill the queue. */
const ofEndpointMax = 16;

export type FreshQueue = ReturnType<typeof createFreshQueue>;

/**
 * Contains fresh deliveries that got no slot when they were stored. They get the next slots for
 * fresh deliveries. They have no lease, so a delivery that is removed from the queue is claimed
 * like any other.
 */
export function createFreshQueue() {
  const waiting = new Map<string, DeliveryDocument>();
  const counts = new Map<string, number>();

  const forget = (deliveryId: string): void => {
    const endpointId = waiting.get(deliveryId)?.endpoint_id;
    if (endpointId === undefined) return;
    waiting.delete(deliveryId);
    const count = (counts.get(endpointId) ?? 0) - 1;
    if (count > 0) counts.set(endpointId, count);
    else counts.delete(endpointId);
  };

  return {
    add: (delivery: DeliveryDocument): void => {
      const { _id, endpoint_id: endpointId } = delivery;
      const count = counts.get(endpointId) ?? 0;
      if (waiting.size >= queuedMax || count >= ofEndpointMax || waiting.has(_id)) return;
      waiting.set(_id, delivery);
      counts.set(endpointId, count + 1);
    },

    size: (): number => waiting.size,

    /** Removes a delivery that was claimed from the store. */
    forget,

    /**
     * Calls `decide` for each delivery, oldest first. "now" and "never" remove the delivery from
     * the queue. Returns the deliveries that may start now.
     */
    admit: (decide: (delivery: DeliveryDocument) => "now" | "later" | "never") => {
      const admitted: DeliveryDocument[] = [];
      for (const [id, delivery] of waiting) {
        const decision = decide(delivery);
        if (decision !== "later") forget(id);
        if (decision === "now") admitted.push(delivery);
      }
      return admitted;
    },
  };
}
