import { type Database, ensureIndexes } from "@disburse/chassis/mongo.ts";
import type { PageCursor } from "@disburse/chassis/page-cursor.ts";
import { behind, countMax, newestFirst } from "@disburse/chassis/record-page.ts";
import type { Collection, Filter, IndexDescription } from "mongodb";
import type { DeliveryState } from "../domain/delivery.ts";
import { type DeliveryDocument, deliveryKeptMs } from "./documents.ts";
import { insertUnlessThere } from "./insert.ts";

export type DeliveryStore = Awaited<ReturnType<typeof openDeliveryStore>>;

/** What a list is narrowed to; absent for any. */
export type DeliveryFilter = {
  readonly endpointId?: string;
  readonly transactionId?: string;
  readonly state?: DeliveryState;
};

const allStates: readonly DeliveryState[] = ["pending", "delivered", "exhausted", "cancelled"];

/**
 * Every list begins with the merchant and ends in the list's order (a list of any state merges the
 * four); `work` finds an endpoint's next due delivery without passing those that are not.
 */
const indexes: readonly IndexDescription[] = [
  { key: { merchant_id: 1, state: 1, created_at: -1, _id: -1 }, name: "list" },
  {
    key: { merchant_id: 1, endpoint_id: 1, state: 1, created_at: -1, _id: -1 },
    name: "list_endpoint",
  },
  {
    key: { merchant_id: 1, transaction_id: 1, created_at: -1, _id: -1 },
    name: "list_transaction",
  },
  // Replays read what was sent first, and would pass all that they have sent again before.
  {
    key: { merchant_id: 1, endpoint_id: 1, state: 1, created_at: 1, _id: 1 },
    name: "originals",
    partialFilterExpression: { replay: 0 },
  },
  { key: { state: 1, endpoint_id: 1, due_at: 1 }, name: "work" },
  { key: { line: 1, sequence: 1, event_id: 1, replay: 1 }, name: "line", unique: true },
  {
    key: { merchant_id: 1, operation_id: 1 },
    name: "operation",
    unique: true,
    partialFilterExpression: { operation_id: { $exists: true } },
  },
  { key: { expires_at: 1 }, name: "expiry", sparse: true },
];

/**
 * Deliveries as merchants see them; `work-store.ts` has what workers do with them,
 * `redelivery-store.ts` how they are sent once more.
 */
export async function openDeliveryStore({ db }: Database) {
  const deliveries = db.collection<DeliveryDocument>("deliveries");
  await ensureIndexes(db, "deliveries", indexes);

  return {
    collection: deliveries,

    insert: (documents: readonly DeliveryDocument[]) => insertUnlessThere(deliveries, documents),

    find: (merchantId: string, id: string) =>
      deliveries.findOne({ _id: id, merchant_id: merchantId }),

    /** Newest first, after the cursor; without bodies and attempts. */
    list: (
      merchantId: string,
      filter: DeliveryFilter,
      after: PageCursor | undefined,
      limit: number,
    ) =>
      deliveries
        .find(pageFilter(merchantId, filter, after), {
          projection: { body: 0, attempts: 0 },
          // A planner that saw few documents once may keep to a worse one.
          hint: listIndex(filter),
        })
        .sort(newestFirst)
        .limit(limit)
        .toArray(),

    /** How many a list has on all its pages, up to `countMax` and one. */
    count: (merchantId: string, filter: DeliveryFilter) =>
      deliveries.countDocuments(listFilter(merchantId, filter), {
        limit: countMax + 1,
        hint: listIndex(filter),
      }),

    cancelPending: (merchantId: string, endpointId: string, now: Date) =>
      cancelPending(deliveries, { merchantId, endpointId }, now),
  };
}

/** Ends what an endpoint has not got yet; attempts under way lose their leases. */
async function cancelPending(
  deliveries: Collection<DeliveryDocument>,
  { merchantId, endpointId }: { readonly merchantId: string; readonly endpointId: string },
  now: Date,
): Promise<void> {
  await deliveries.updateMany(
    { state: "pending", endpoint_id: endpointId, merchant_id: merchantId },
    {
      $set: {
        state: "cancelled",
        held: false,
        lease: null,
        due_at: null,
        next_attempt_at: null,
        updated_at: now,
        expires_at: new Date(now.getTime() + deliveryKeptMs),
      },
    },
  );
}

function listIndex({ endpointId, transactionId }: DeliveryFilter): string {
  if (transactionId !== undefined) return "list_transaction";
  return endpointId === undefined ? "list" : "list_endpoint";
}

function pageFilter(
  merchantId: string,
  filter: DeliveryFilter,
  after: PageCursor | undefined,
): Filter<DeliveryDocument> {
  const listed = listFilter(merchantId, filter);
  return after === undefined ? listed : { $and: [listed, ...behind(after)] };
}

function listFilter(
  merchantId: string,
  { endpointId, transactionId, state }: DeliveryFilter,
): Filter<DeliveryDocument> {
  const byTransaction = transactionId !== undefined;
  return {
    merchant_id: merchantId,
    ...(endpointId === undefined ? {} : { endpoint_id: endpointId }),
    ...(byTransaction ? { transaction_id: transactionId } : {}),
    ...(state !== undefined ? { state } : byTransaction ? {} : { state: { $in: [...allStates] } }),
  };
}
