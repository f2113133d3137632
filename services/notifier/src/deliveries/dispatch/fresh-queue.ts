import type { DeliveryDocument } from "../documents.ts";

/** What does not fit is found in the store; with the largest bodies these are 32 MiB. */
const queuedMax = 512;
/** An endpoint that is slow fills no more than its part. */
const ofEndpointMax = 16;

export type FreshQueue = ReturnType<typeof createFreshQueue>;

/**
 * Fresh deliveries that found no slot when they were stored. By the time at which they are due they
 * would come behind all that waits, so they are remembered, and have the next slots that are left
 * to what is fresh. They are leased by nobody: forgotten, they are due like any other.
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

    /** It was taken from the store: what is remembered of it is out of date from now on. */
    forget,

    /** Lets each go in that may now, the first that came first; forgets those that never may. */
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
