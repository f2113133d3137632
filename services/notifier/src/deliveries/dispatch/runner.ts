import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Recipient } from "../../endpoints/rules/endpoint.ts";
import type { Ownership } from "../cluster/ownership.ts";
import type { DeliveryDocument } from "../documents.ts";
import type { OrderStore } from "../order/store.ts";
import { type AttemptDeps, attemptDelivery } from "./attempt.ts";
import type { Limiter } from "./limiter.ts";
import type { WorkMetrics } from "./metrics.ts";
import type { Settle } from "./settlement.ts";
import type { WorkStore } from "./work-store.ts";

type RunnerDeps = AttemptDeps & {
  readonly limiter: Limiter;
  readonly ownership: Pick<Ownership, "owns">;
  readonly settle: Settle;
  readonly order: Pick<OrderStore, "ended">;
  readonly work: Pick<WorkStore, "giveBack">;
  readonly metrics: WorkMetrics;
  /** Reports the delay between the due time and the start of a fresh delivery. */
  readonly freshStarted: (delayMs: number) => void;
  /** Called when a slot becomes free and a delivery waits for a slot. */
  readonly freed: () => void;
};

export type Runner = ReturnType<typeof createRunner>;

/** Runs attempts concurrently. Each one holds a slot until its outcome is settled. */
export function createRunner(deps: RunnerDeps) {
  const { limiter, ownership, settle, metrics, log } = deps;
  const slots = new Map<string, { endpointId: string; isClaimed: boolean }>();
  const running = new Set<Promise<void>>();

  const leave = (deliveryId: string): void => {
    const slot = slots.get(deliveryId);
    if (slot === undefined) return;
    slots.delete(deliveryId);
    const queue = limiter.of(slot.endpointId);
    limiter.leave(queue, slot.isClaimed);
    if (queue.hasBacklog) deps.freed();
  };

  const run = async (
    delivery: DeliveryDocument,
    endpoint: Recipient | undefined,
  ): Promise<void> => {
    try {
      // Another process may own the endpoint now. That process will claim the delivery.
      if (!ownership.owns(delivery.endpoint_id)) {
        const { lease } = delivery;
        if (lease !== null) await deps.work.giveBack(delivery, lease, deps.clock.now());
        return;
      }
      const waitedMs = deps.clock.now().getTime() - delivery.created_at.getTime();
      const wasLimited = limiter.wasLimitedWithin(limiter.of(delivery.endpoint_id), waitedMs);
      const settlement = await attemptDelivery(deps, delivery, endpoint);
      const { attempt } = settlement;
      if (attempt !== undefined) {
        limiter.attempted(limiter.of(delivery.endpoint_id), attempt.outcome, attempt.endedAt);
      }
      const isSettled = await settle(settlement);
      if (isSettled && settlement.transition.state !== "pending") deps.order.ended(delivery);
      metrics.settled(settlement, delivery.created_at, wasLimited ? "endpoint" : "none");
    } catch (error) {
      // The delivery is claimed again when its lease expires.
      log.error(
        { err: error, delivery_id: delivery._id },
        "processing a delivery failed; it is claimed again when its lease expires",
      );
    } finally {
      leave(delivery._id);
    }
  };

  return {
    /**
     * Takes a slot for a delivery that has no lease yet. `isClaimed` means that the delivery had to
     * wait.
     */
    enter: (delivery: DeliveryDocument, isClaimed: boolean): void => {
      const { _id, endpoint_id: endpointId, merchant_id: merchantId } = delivery;
      slots.set(_id, { endpointId, isClaimed });
      limiter.enter(limiter.of(endpointId, merchantId), isClaimed);
    },
    /** Returns true if the delivery has a slot. */
    has: (deliveryId: string): boolean => slots.has(deliveryId),
    /** Starts an attempt of a leased delivery that has a slot. */
    start: (delivery: DeliveryDocument, endpoint: Recipient | undefined): void => {
      const isFresh = slots.get(delivery._id)?.isClaimed === false && delivery.attempts_count === 0;
      if (isFresh) deps.freshStarted(deps.clock.now().getTime() - delivery.created_at.getTime());
      const work = forRequest(delivery, () => run(delivery, endpoint)).finally(() =>
        running.delete(work),
      );
      running.add(work);
    },
    /** Frees a delivery's slot without an attempt. */
    leave,
    /** Resolves when no attempt is in flight. */
    idle: async (): Promise<void> => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
