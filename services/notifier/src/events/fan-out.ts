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
import type { Mails } from "../mails/mailer.ts";
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
  /** Releases deliveries that wait under these ordering keys. Called after an insert. */
  readonly release: (lines: Iterable<string>) => void;
  readonly mails: Pick<Mails, "count">;
};

export type FanOut = ReturnType<typeof createFanOut>;

type Endpoints = ReadonlyMap<string, Recipient>;

/**
 * Stores events and their deliveries. If all events are new, one write stores everything. Otherwise
 * two writes are needed, which can be repeated safely. An event names its endpoints, and both
 * together determine the id of a delivery.
 */
export function createFanOut(deps: FanOutDeps) {
  const { endpoints, bulkInsert, events, deliveries, order, admission, clock, mails } = deps;

  const insert = async (stored: readonly EventDocument[], known: Endpoints): Promise<void> => {
    const now = clock.now();
    // The deliveries of older events may already be deleted, so they are not created again.
    const recent = stored.filter(
      (event) => now.getTime() - event.received_at.getTime() < deliveryKeptMs,
    );
    const missing = firstDeliveries(recent, known);
    if (missing.length > 0) await insertAdmitted(deps, missing, known, deliveries.insert);
  };

  /**
   * Stores new events and their deliveries in one write. Returns `false` if some of them were
   * stored before. Then this write may not have stored all.
   */
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

  /** Stores the missing deliveries of stored events. The events name the endpoints. */
  const deliver = async (stored: readonly EventDocument[]): Promise<void> => {
    order.stored(stored);
    const ids = new Set(stored.flatMap((event) => event.endpoint_ids));
    if (ids.size > 0) await insert(stored, await endpoints.readActive([...ids]));
  };

  return {
    deliver,
    /**
     * Stores events and their deliveries. Doesn't wait for attempts. If this throws, call it again
     * to store the rest.
     */
    publish: async (batch: readonly WebhookEvent[]): Promise<void> => {
      await admission.waitForCapacity();
      await mails.count(batch);
      const subscribed = await findSubscribed(batch);
      const documents = keptDocuments(batch, subscribed, clock.now());
      if (documents.length === 0) return;
      const known = new Map([...subscribed.values()].flat().map((each) => [each.id, each]));
      if (await insertFresh(documents, known)) order.stored(documents);
      else await deliver(await events.store(documents));
    },
    /**
     * Does the same for one event that an operation sends to chosen endpoints. Returns `undefined`
     * if the operation was used before for a different request.
     */
    publishOne: async (
      event: WebhookEvent,
      change: RequestedChange,
      chosen?: readonly string[],
    ): Promise<EventDocument | undefined> => {
      await mails.count([event]);
      const endpointIds =
        chosen ?? wanted(event, (await findSubscribed([event])).get(event.merchantId));
      const [stored] = await events.store([eventDocument(event, endpointIds, clock.now(), change)]);
      if (stored !== undefined) await deliver([stored]);
      return stored;
    },
  };
}

/**
 * Returns the events to store. An opt-in event is stored only if an endpoint subscribes to its
 * type.
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

/** Inserts deliveries. Then starts those that may start at once. */
async function insertAdmitted(
  { order, admission, release }: FanOutDeps,
  made: readonly DeliveryDocument[],
  known: Endpoints,
  /**
   * Writes the deliveries. Returns the indices of those that were stored before, or `undefined` if
   * the write failed to insert all.
   */
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
