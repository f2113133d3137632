import type { Database } from "@disburse/chassis/mongo/database.ts";
import { countMax, findCountedPage, type PageRequest } from "@disburse/chassis/paging/page.ts";
import type { Filter } from "mongodb";
import type { Backlog } from "../endpoints/wire.ts";
import { type DeliveryDocument, endedUntried } from "./documents.ts";
import { insertNew } from "./insert.ts";
import type { DeliveryState } from "./rules/delivery.ts";

/** Deliveries as merchants see them. */
export type DeliveryStore = ReturnType<typeof openDeliveryStore>;

/** The filter of a list; an absent field is any. */
export type DeliveryFilter = {
  readonly endpointId?: string;
  readonly transactionId?: string;
  readonly state?: DeliveryState;
};

const allStates: readonly DeliveryState[] = ["pending", "delivered", "exhausted", "cancelled"];

/** Deliveries as merchants see them; `work-store.ts` has what workers do with them. */
export function openDeliveryStore({ db }: Database) {
  const deliveries = db.collection<DeliveryDocument>("deliveries");

  return {
    collection: deliveries,

    insert: (documents: readonly DeliveryDocument[]) => insertNew(deliveries, documents),

    find: (merchantId: string, id: string) =>
      deliveries.findOne({ _id: id, merchant_id: merchantId }),

    findByOperation: (merchantId: string, operationId: string) =>
      deliveries.findOne({ merchant_id: merchantId, operation_id: operationId }),

    /** A page, newest first, without bodies and attempts; and the count of all pages. */
    list: (filter: DeliveryFilter, request: PageRequest & { readonly merchantId: string }) =>
      findCountedPage(deliveries, listFilter(request.merchantId, filter), request, {
        projection: { body: 0, attempts: 0 },
        // The planner may keep a worse index that it chose when there were few documents.
        hint: listIndex(filter),
      }),

    /** Ends what an endpoint has not received; attempts in flight lose their leases. */
    cancelPending: async (merchantId: string, endpointId: string, now: Date): Promise<void> => {
      const pending = pendingOf(merchantId, endpointId);
      for (let page = 0; page < cancelPages; page += 1) {
        const found = await deliveries
          .find(pending, { projection: { _id: 1 }, hint: "work" })
          .limit(cancelPage)
          .toArray();
        const ids = found.map(({ _id }) => _id);
        if (ids.length === 0) return;
        const cancelled = { $set: endedUntried("cancelled", now) };
        await deliveries.updateMany({ _id: { $in: ids }, state: "pending" }, cancelled);
      }
    },
  };
}

/** One write cancels so many, well within the driver's time for a command. */
const cancelPage = 1_000;
/** A deletion waits for so many writes; workers cancel the rest as they claim it. */
const cancelPages = 10;

function pendingOf(merchantId: string, endpointId: string) {
  return { state: "pending", endpoint_id: endpointId, merchant_id: merchantId } as const;
}

function listIndex({ endpointId, transactionId }: DeliveryFilter): string {
  if (transactionId !== undefined) return "list_transaction";
  return endpointId === undefined ? "list" : "list_endpoint";
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

/** Counting so many is slow, so the answer is cached … */
const longCount = 1_000;
/** … for this long. */
const keptMs = 10_000;

/** The backlogs of endpoints; `elapsed` is a monotonic clock in milliseconds. */
export function openBacklogStore(
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
  elapsed: () => number,
) {
  const long = new Map<string, { readonly backlog: Backlog; readonly until: number }>();

  const count = async (merchantId: string, endpointId: string): Promise<Backlog> => {
    const pending = pendingOf(merchantId, endpointId);
    const hint = "list_endpoint";
    const oldestFirst = { projection: { created_at: 1 }, sort: { created_at: 1 } } as const;
    const [pendingCount, oldest] = await Promise.all([
      deliveries.countDocuments(pending, { limit: countMax, hint }),
      deliveries.findOne(pending, { ...oldestFirst, hint }),
    ]);
    return { pendingCount, oldestPendingAt: oldest?.created_at };
  };

  return {
    /** A long one may be some seconds old. */
    read: async (merchantId: string, endpointId: string): Promise<Backlog> => {
      for (const [id, { until }] of long) if (until <= elapsed()) long.delete(id);
      const known = long.get(endpointId);
      if (known !== undefined) return known.backlog;
      const backlog = await count(merchantId, endpointId);
      if (backlog.pendingCount >= longCount) {
        long.set(endpointId, { backlog, until: elapsed() + keptMs });
      }
      return backlog;
    },
  };
}
