import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Admission } from "../deliveries/dispatch/admission.ts";
import { type DeliveryDocument, deliveryKeptMs, firstDelivery } from "../deliveries/documents.ts";
import type { OrderStore } from "../deliveries/order/store.ts";
import { arrivalMatters } from "../deliveries/rules/order.ts";
import type { DeliveryStore } from "../deliveries/store.ts";
import type { Recipient } from "../endpoints/rules/endpoint.ts";
import { isSubscribed, subscriptionTypes } from "../endpoints/rules/event-filter.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { type EventDocument, eventDocument } from "./documents.ts";
import type { WebhookEvent } from "./rules/event.ts";
import type { EventStore } from "./store.ts";

export type FanOutDeps = {
  readonly endpoints: Pick<EndpointStore, "findSubscribed" | "readActive">;
  readonly bulkInsert: Database["bulkInsert"];
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly order: Pick<OrderStore, "placed">;
  readonly admission: Admission;
  readonly clock: Clock;
  /** Something has come into these lines that others may wait for. */
  readonly release: (lines: Iterable<string>) => void;
};

export type FanOut = {
  /**
   * Stores a batch of events and their deliveries to the endpoints that are active now and want
   * them. When it returns all of it is stored; when it throws, doing it again does the rest. A
   * duplicate changes nothing: the endpoints stand in the stored event, and a delivery's id follows
   * from event and endpoint. First attempts begin without being waited for.
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

type Endpoints = ReadonlyMap<string, Recipient>;

/**
 * Events in, deliveries out: one write for what comes for the first time; else two, each of which
 * can be repeated.
 */
export function createFanOut(deps: FanOutDeps): FanOut {
  const { endpoints, bulkInsert, events, deliveries, admission, clock } = deps;

  const insert = async (stored: readonly EventDocument[], known: Endpoints): Promise<void> => {
    const now = clock.now();
    // What is older has had its deliveries, and they may be deleted by now.
    const recent = stored.filter(
      (event) => now.getTime() - event.received_at.getTime() < deliveryKeptMs,
    );
    const made = firstDeliveries(recent, known);
    if (made.length > 0) await insertAdmitted(deps, made, known, deliveries.insert);
  };

  /** Answers false when there was something of them before, and they are not all stored. */
  const insertFresh = (fresh: readonly EventDocument[], known: Endpoints): Promise<boolean> =>
    insertAdmitted(deps, firstDeliveries(fresh, known), known, async (admitted) =>
      (await bulkInsert([
        { collection: "events", documents: fresh },
        { collection: "deliveries", documents: admitted },
      ]))
        ? new Set()
        : undefined,
    );

  const wanted = (event: WebhookEvent, all: readonly Recipient[] = []): string[] =>
    all.filter((endpoint) => isSubscribed(endpoint, event)).map(({ id }) => id);

  const findSubscribed = (batch: readonly WebhookEvent[]) =>
    endpoints.findSubscribed(
      [...new Set(batch.map(({ merchantId }) => merchantId))],
      [...new Set(batch.flatMap(subscriptionTypes))],
    );

  /** To the endpoints that were chosen when the events were stored first. */
  const deliver = async (stored: readonly EventDocument[]): Promise<void> => {
    const ids = new Set(stored.flatMap((event) => event.endpoint_ids));
    if (ids.size > 0) await insert(stored, await endpoints.readActive([...ids]));
  };

  return {
    deliver,
    publish: async (batch) => {
      await admission.room();
      const told = await findSubscribed(batch);
      const receivedAt = clock.now();
      const documents = batch.map((event) =>
        eventDocument(event, wanted(event, told.get(event.merchantId)), receivedAt),
      );
      if (await insertFresh(documents, byId(told))) return;
      await deliver(await events.store(documents));
    },
    publishOne: async (event, change, endpointId) => {
      const told =
        endpointId === undefined
          ? wanted(event, (await findSubscribed([event])).get(event.merchantId))
          : [endpointId];
      const [stored] = await events.store([eventDocument(event, told, clock.now(), change)]);
      if (stored !== undefined) await deliver([stored]);
      return stored;
    },
  };
}

/** Inserts deliveries, admitted as far as there is room, and begins with those. */
async function insertAdmitted(
  { order, admission, release }: FanOutDeps,
  made: readonly DeliveryDocument[],
  known: Endpoints,
  /** Answers the places of those that were there; `undefined` when it did not insert all. */
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

function byId(told: ReadonlyMap<string, readonly Recipient[]>): Endpoints {
  return new Map([...told.values()].flat().map((endpoint) => [endpoint.id, endpoint]));
}
