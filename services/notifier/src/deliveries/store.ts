import type { Database } from "@disburse/chassis/mongo/database.ts";
import { countMax, findCountedPage, type PageRequest } from "@disburse/chassis/paging/page.ts";
import type { Filter } from "mongodb";
import type { Backlog } from "../endpoints/wire.ts";
import { type DeliveryDocument, endedUntried } from "./documents.ts";
import { insertNew } from "./insert.ts";
import type { DeliveryState } from "./rules/delivery.ts";

export type DeliveryStore = ReturnType<typeof openDeliveryStore>;

/** The filter of a list. An absent field matches any value. */
export type DeliveryFilter = {
  readonly endpointId?: string;
  readonly transactionId?: string;
  readonly state?: DeliveryState;
};

export const allStates: readonly DeliveryState[] = [
  "pending",
  "delivered",
  "exhausted",
  "cancelled",
];

/** The deliveries as merchants see them. The operations for workers are in `work-store.ts`. */
export function openDeliveryStore({ db }: Database) {
  const deliveries = db.collection<DeliveryDocument>("deliveries");

  return {
    collection: deliveries,

    insert: (documents: readonly DeliveryDocument[]) => insertNew(deliveries, documents),

    find: (merchantId: string, id: string) =>
      deliveries.findOne({ _id: id, merchant_id: merchantId }),

    findByOperation: (merchantId: string, operationId: string) =>
      deliveries.findOne({ merchant_id: merchantId, operation_id: operationId }),

    /**
     * Returns a page and the total count, newest first. The deliveries have no bodies and no
     * attempts.
     */
    list: (filter: DeliveryFilter, request: PageRequest & { readonly merchantId: string }) =>
      findCountedPage(deliveries, listFilter(request.merchantId, filter), request, {
        projection: { body: 0, attempts: 0 },
        // Without a hint, the query planner may continue to use a worse index that it chose when
        // there were few documents.
        hint: listIndex(filter),
      }),

    /** Cancels an endpoint's pending deliveries. An attempt in flight loses its lease. */
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

/**
 * Maximum deliveries that one write cancels. The write ends well before the driver's command
 * timeout.
 */
const cancelPage = 1_000;
/**
 * Maximum writes after an endpoint's deletion. Workers cancel the remaining deliveries when they
 * claim them.
 */
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

/** A count of at least this many is slow, so its result is cached. */
const longCount = 1_000;
/** A cached count is used for this time. */
const keptMs = 10_000;

/** Counts the backlogs of endpoints. `elapsed` is a monotonic clock in milliseconds. */
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
    /** Returns the backlog of an endpoint. The count of a long backlog may be up to 10 s old. */
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
