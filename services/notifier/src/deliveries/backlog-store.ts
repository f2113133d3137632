import { countMax } from "@disburse/chassis/paging/record-page.ts";
import type { Backlog } from "../endpoints/wire.ts";
import type { DeliveryStore } from "./store.ts";

/** Lists of an endpoint's deliveries have the order that this needs. */
const hint = "list_endpoint";

/** Counting so many takes long enough that nobody may have it done again and again … */
const longCount = 1_000;
/** … so it is told this long; whoever watches a dead endpoint costs the others nothing. */
const keptMs = 10_000;

type Known = { readonly backlog: Backlog; readonly until: number };

/**
 * Deliveries that wait, for whoever looks after an endpoint; `elapsed` is in milliseconds, of a
 * clock that nobody sets.
 */
export function openBacklogStore(
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
  elapsed: () => number,
) {
  const long = new Map<string, Known>();

  const count = async (merchantId: string, endpointId: string): Promise<Backlog> => {
    const waiting = { merchant_id: merchantId, endpoint_id: endpointId, state: "pending" } as const;
    const [pendingCount, oldest] = await Promise.all([
      deliveries.countDocuments(waiting, { limit: countMax, hint }),
      deliveries.findOne(waiting, {
        projection: { created_at: 1 },
        sort: { created_at: 1, _id: 1 },
        hint,
      }),
    ]);
    return { pendingCount, oldestPendingAt: oldest?.created_at };
  };

  const forgetOld = (now: number): void => {
    for (const [id, { until }] of long) if (until <= now) long.delete(id);
  };

  return {
    /** A long one may be some seconds old. */
    read: async (merchantId: string, endpointId: string): Promise<Backlog> => {
      forgetOld(elapsed());
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
