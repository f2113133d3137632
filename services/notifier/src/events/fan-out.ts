import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { RequestedChange } from "@disburse/chassis/mutations/content.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Admission } from "../deliveries/dispatch/admission.ts";
import { type DeliveryDocument, deliveryKeptMs, firstDelivery } from "../deliveries/documents.ts";
import type { OrderStore } from "../deliveries/order/store.ts";
import { arrivalMatters } from "../deliveries/rules/order.ts";
import type { DeliveryStore } from "../deliveries/store.ts";
import type { Recipient } from "../endpoints/rules/endpoint.ts";
import { isSubscribed, subscriptionTypes } from "../endpoints/rules/event-filter.ts";
import { isOptIn } from "../endpoints/rules/opt-in.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { type EventDocument, eventDocument } from "./documents.ts";
import type { WebhookEvent } from "./rules/event.ts";
import type { EventStore } from "./store.ts";

type FanOutDeps = {
  readonly endpoints: Pick<EndpointStore, "findSubscribed" | "readActive">;
  readonly bulkInsert: Database["bulkInsert"];
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly order: Pick<OrderStore, "placed" | "stored">;
  readonly admission: Admission;
  readonly clock: Clock;
  /** Releases deliveries that wait under these ordering keys, after an insert. */
  readonly release: (lines: Iterable<string>) => void;
};

export type FanOut = ReturnType<typeof createFanOut>;

type Endpoints = ReadonlyMap<string, Recipient>;

/**
 * Stores events and their deliveries. One write suffices if all are new. Otherwise two repeatable
 * writes do it, because an event names its endpoints and both determine a delivery's id.
 */
export function createFanOut(deps: FanOutDeps) {
  const { endpoints, bulkInsert, events, deliveries, order, admission, clock } = deps;

  const insert = async (stored: readonly EventDocument[], known: Endpoints): Promise<void> => {
    const now = clock.now();
    // Deliveries of older events may already be deleted.
    const recent = stored.filter(
      (event) => now.getTime() - event.received_at.getTime() < deliveryKeptMs,
    );
    const missing = firstDeliveries(recent, known);
    if (missing.length > 0) await insertAdmitted(deps, missing, known, deliveries.insert);
  };

  /** Returns `false` if some were stored before; then not all are stored now. */
  const insertFresh = (fresh: readonly EventDocument[], known: Endpoints): Promise<boolean> =>
    insertAdmitted(deps, firstDeliveries(fresh, known), known, async (admitted) =>
      (await bulkInsert([
        { collection: "events", documents: fresh },
        { collection: "deliveries", documents: admitted },
      ]))
        ? new Set()
        : undefined,
    );

  const findSubscribed = (batch: readonly WebhookEvent[]) =>
    endpoints.findSubscribed(
      [...new Set(batch.map(({ merchantId }) => merchantId))],
      [...new Set(batch.flatMap(subscriptionTypes))],
    );

  /** Stores missing deliveries of stored events to the endpoints that the events name. */
  const deliver = async (stored: readonly EventDocument[]): Promise<void> => {
    order.stored(stored);
    const ids = new Set(stored.flatMap((event) => event.endpoint_ids));
    if (ids.size > 0) await insert(stored, await endpoints.readActive([...ids]));
  };

  return {
    deliver,
    /**
     * Stores events and their deliveries without waiting for attempts. If it throws, a repeat
     * completes it.
     */
    publish: async (batch: readonly WebhookEvent[]): Promise<void> => {
      await admission.waitForCapacity();
      const subscribed = await findSubscribed(batch);
      const documents = keptDocuments(batch, subscribed, clock.now());
      if (documents.length === 0) return;
      const known = new Map([...subscribed.values()].flat().map((each) => [each.id, each]));
      if (await insertFresh(documents, known)) order.stored(documents);
      else await deliver(await events.store(documents));
    },
    /**
     * Like `publish`, for an operation's event to chosen endpoints. Returns `undefined` if the
     * operation was used with different content.
     */
    publishOne: async (
      event: WebhookEvent,
      change: RequestedChange,
      chosen?: readonly string[],
    ): Promise<EventDocument | undefined> => {
      const endpointIds =
        chosen ?? wanted(event, (await findSubscribed([event])).get(event.merchantId));
      const [stored] = await events.store([eventDocument(event, endpointIds, clock.now(), change)]);
      if (stored !== undefined) await deliver([stored]);
      return stored;
    },
  };
}

/**
 * Returns the events to store. Keeps an opt-in event only if an endpoint subscribes to its type.
 */
function keptDocuments(
  batch: readonly WebhookEvent[],
  subscribed: ReadonlyMap<string, readonly Recipient[]>,
  receivedAt: Date,
): EventDocument[] {
  return batch
    .map((event) =>
      eventDocument(event, wanted(event, subscribed.get(event.merchantId)), receivedAt),
    )
    .filter((each) => !isOptIn(each.transaction_type) || each.endpoint_ids.length > 0);
}

function wanted(event: WebhookEvent, all: readonly Recipient[] = []): string[] {
  return all.filter((endpoint) => isSubscribed(endpoint, event)).map(({ id }) => id);
}

/** Inserts deliveries, and starts the admitted ones. */
async function insertAdmitted(
  { order, admission, release }: FanOutDeps,
  made: readonly DeliveryDocument[],
  known: Endpoints,
  /** Returns the indices of those stored before, or `undefined` if it did not insert all. */
  write: (admitted: readonly DeliveryDocument[]) => Promise<ReadonlySet<number> | undefined>,
): Promise<boolean> {
  const admitted = admission.admit(await order.placed(made), known);
  const there = await write(admitted).catch((error: unknown) => {
    admission.abandon(admitted);
    throw error;
  });
  if (there === undefined) {
    admission.abandon(admitted);
    return false;
  }
  await admission.begin(admitted, there, known);
  const touched = admitted.filter(
    (delivery) => delivery.held || arrivalMatters(delivery.transaction_type),
  );
  release(touched.map(({ line }) => line));
  return true;
}

function firstDeliveries(events: readonly EventDocument[], known: Endpoints): DeliveryDocument[] {
  return events.flatMap((event) =>
    event.endpoint_ids.map((endpointId) =>
      firstDelivery(event, endpointId, known.get(endpointId)?.order ?? "bounded"),
    ),
  );
}
