import { forRequest } from "@disburse/chassis/call-context.ts";
import { allot, type Slots } from "../domain/fairness.ts";
import type { DeliveryDocument } from "../store/documents.ts";
import type { EndpointStore } from "../store/endpoint-store.ts";
import type { WorkStore } from "../store/work-store.ts";
import { type AttemptDeps, attemptDelivery } from "./attempt.ts";
import type { WorkMetrics } from "./metrics.ts";
import type { Settler } from "./settler.ts";

/** 256 sockets fill one core; 8 to one endpoint leave room for 31 others (webhooks: fairness). */
export const slotsDefault: Slots = { processMax: 256, endpointMax: 8, claimMax: 64 };

export type DispatcherDeps = AttemptDeps & {
  readonly work: WorkStore;
  readonly endpoints: EndpointStore;
  readonly settler: Settler;
  readonly metrics: WorkMetrics;
  readonly slots: Slots;
  /** A slot is free again. */
  readonly freed: () => void;
};

export type Dispatcher = {
  /** Claims what is due, as far as there are slots, and starts it; answers how many. */
  round(): Promise<number>;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
};

/** Takes due deliveries in turn over endpoints and attempts them side by side. */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clock, work, endpoints, settler, metrics, slots, log } = deps;
  const inFlight = new Map<string, number>();
  const running = new Set<Promise<void>>();
  let servedLast = "";

  const occupy = (endpointId: string, by: 1 | -1): void => {
    const count = (inFlight.get(endpointId) ?? 0) + by;
    if (count === 0) inFlight.delete(endpointId);
    else inFlight.set(endpointId, count);
  };

  const run = async (
    delivery: DeliveryDocument,
    active: Awaited<ReturnType<EndpointStore["readActive"]>>,
  ): Promise<void> => {
    try {
      const endpoint = active.get(delivery.endpoint_id);
      const settlement = await forRequest(delivery.request_id, () =>
        attemptDelivery(deps, delivery, endpoint),
      );
      metrics.settled(settlement);
      await settler.settle(settlement);
    } catch (error) {
      // The lease ends and the delivery is taken again; there is nothing that could be written.
      const fields = { err: error, delivery_id: delivery._id };
      forRequest(delivery.request_id, () => log.error(fields, "delivery not attempted"));
    } finally {
      occupy(delivery.endpoint_id, -1);
      deps.freed();
    }
  };

  const start = (delivery: DeliveryDocument, active: Parameters<typeof run>[1]): void => {
    occupy(delivery.endpoint_id, 1);
    const work = run(delivery, active).finally(() => running.delete(work));
    running.add(work);
  };

  return {
    round: async () => {
      if (running.size >= slots.processMax) return 0;
      const now = clock.now();
      const due = await work.dueEndpoints(now);
      metrics.due(due, now);
      const ids = due.map(({ endpointId }) => endpointId);
      const shares = allot(ids, inFlight, slots, servedLast);
      if (shares.size === 0) return 0;
      servedLast = [...shares.keys()].at(-1) ?? servedLast;
      const claimed = await work.claim(shares, crypto.randomUUID(), now);
      if (claimed.length === 0) return 0;
      const active = await endpoints.readActive([
        ...new Set(claimed.map(({ endpoint_id }) => endpoint_id)),
      ]);
      for (const delivery of claimed) start(delivery, active);
      return claimed.length;
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
