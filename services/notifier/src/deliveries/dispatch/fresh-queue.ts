import type { DeliveryDocument } from "../documents.ts";

/** Others are claimed from the store; with the largest bodies these are 32 MiB. */
const queuedMax = 512;
/** Bounds a slow endpoint's part. */
const ofEndpointMax = 16;

/** Fresh deliveries that wait for a slot. */
export type FreshQueue = ReturnType<typeof createFreshQueue>;

/**
 * Fresh deliveries that found no slot when stored: they get the next ones of fresh deliveries. They
 * are not leased: a forgotten one is due like any other.
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

    /** It was claimed from the store. */
    forget,

    /** Removes those that are decided, oldest first; answers those that may start now. */
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
