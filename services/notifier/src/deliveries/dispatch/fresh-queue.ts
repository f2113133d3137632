import type { DeliveryDocument } from "../documents.ts";

/** Other deliveries are claimed from the store. With the largest bodies the queue holds 32 MiB. */
const queuedMax = 512;
/** Limits a slow endpoint's share of the queue. */
const ofEndpointMax = 16;

export type FreshQueue = ReturnType<typeof createFreshQueue>;

/**
 * Fresh deliveries that found no slot when stored. They get the next slots for fresh deliveries.
 * They are not leased, so a dropped one is claimed like any other.
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

    /** Called when the delivery was claimed from the store. */
    forget,

    /** Removes the decided deliveries, oldest first. Returns those that may start now. */
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
