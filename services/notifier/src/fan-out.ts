import type { Clock } from "@disburse/kernel/time.ts";
import type { WebhookEvent } from "./domain/event.ts";
import type { DeliveryStore } from "./store/delivery-store.ts";
import {
  type Change,
  deliveryKeptMs,
  type EventDocument,
  eventDocument,
  firstDelivery,
} from "./store/documents.ts";
import type { EndpointStore } from "./store/endpoint-store.ts";
import type { EventStore } from "./store/event-store.ts";
import type { LineStore } from "./store/line-store.ts";

export type FanOutDeps = {
  readonly endpoints: EndpointStore;
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly lines: LineStore;
  readonly clock: Clock;
  /** Something is due. */
  readonly wake: () => void;
};

export type FanOut = {
  /**
   * Stores a batch of events and their deliveries to the endpoints that are active now. When it
   * returns all of it is stored; when it throws, doing it again does the rest. A duplicate changes
   * nothing: the endpoints stand in the stored event, and a delivery's id follows from event and
   * endpoint.
   */
  publish(events: readonly WebhookEvent[]): Promise<void>;
  /**
   * The same for one event, made by an operation, to its merchant's endpoints or to the given one.
   * Answers what is stored under it, or `undefined` when the operation made another event.
   */
  publishOne(
    event: WebhookEvent,
    change: Change,
    endpointId?: string,
  ): Promise<EventDocument | undefined>;
  /** Makes sure that the deliveries of stored events are there. */
  deliver(stored: readonly EventDocument[]): Promise<void>;
};

/** Events in, deliveries out; two writes, each of which can be repeated. */
export function createFanOut(deps: FanOutDeps): FanOut {
  const { endpoints, events, deliveries, lines, clock, wake } = deps;

  const deliver = async (stored: readonly EventDocument[]): Promise<void> => {
    const now = clock.now();
    // What is older has had its deliveries, and they may be deleted by now.
    const recent = stored.filter(
      (event) => now.getTime() - event.received_at.getTime() < deliveryKeptMs,
    );
    const made = recent.flatMap((event) =>
      event.endpoint_ids.map((endpointId) => firstDelivery(event, endpointId)),
    );
    if (made.length === 0) return;
    await deliveries.insert(made);
    const held = made.filter((delivery) => delivery.held).map(({ line }) => line);
    await lines.release([...new Set(held)], clock.now());
    wake();
  };

  return {
    deliver,
    publish: async (batch) => {
      const merchantIds = [...new Set(batch.map(({ merchantId }) => merchantId))];
      const told = await endpoints.activeIds(merchantIds);
      const receivedAt = clock.now();
      const documents = batch.map((event) =>
        eventDocument(event, told.get(event.merchantId) ?? [], receivedAt),
      );
      await deliver(await events.store(documents));
    },
    publishOne: async (event, change, endpointId) => {
      const { merchantId } = event;
      const told =
        endpointId === undefined
          ? ((await endpoints.activeIds([merchantId])).get(merchantId) ?? [])
          : [endpointId];
      const [stored] = await events.store([eventDocument(event, told, clock.now(), change)]);
      if (stored !== undefined) await deliver([stored]);
      return stored;
    },
  };
}
