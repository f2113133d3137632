import { type CountRead, createCache } from "@disburse/chassis/cache.ts";
import type { Corridor, Rate } from "./rules/corridor.ts";
import { type CorridorStore, findCorridor, isOpenTo, latestRate } from "./store.ts";

/** The maximum age of cached corridors and rates for new quotes. Execute reads without a cache. */
const freshMs = 5_000;
const pairsMax = 10_000;
const merchantCorridorsMax = 100_000;

/** Corridors and rates for new quotes, at most 5 s old. */
export type CurrentCorridors = ReturnType<typeof openCurrentCorridors>;

/**
 * Opens the caches. A missing or closed corridor is not cached, so that opening it takes effect at
 * once.
 */
export function openCurrentCorridors(store: CorridorStore, countRead?: CountRead) {
  const corridors = createCache<Corridor>({
    name: "corridors",
    max: pairsMax,
    freshMs,
    countRead,
    read: (pair) => {
      const [source = "", destination = ""] = pair.split(" ");
      return findCorridor(store, { source, destination });
    },
  });
  const open = createCache<true>({
    name: "merchant_corridors",
    max: merchantCorridorsMax,
    freshMs,
    countRead,
    read: async (key) => {
      const [merchantId = "", corridorId = ""] = key.split(" ");
      return (await isOpenTo(store, merchantId, corridorId)) ? true : undefined;
    },
  });
  const rates = createCache<Rate>({
    name: "rates",
    max: pairsMax,
    freshMs,
    countRead,
    read: (corridorId) => latestRate(store, corridorId),
  });
  const pair = (source: string, destination: string) => `${source} ${destination}`;
  const opening = (merchantId: string, corridorId: string) => `${merchantId} ${corridorId}`;
  return {
    find: (source: string, destination: string) => corridors.get(pair(source, destination)),
    isOpenTo: async (merchantId: string, corridorId: string): Promise<boolean> =>
      (await open.get(opening(merchantId, corridorId))) === true,
    latestRate: rates.get,
    /** Drops a pair that this process changed, so that its next read is fresh. */
    corridorChanged: (source: string, destination: string) =>
      corridors.drop(pair(source, destination)),
    openingChanged: (merchantId: string, corridorId: string) =>
      open.drop(opening(merchantId, corridorId)),
    rateChanged: rates.drop,
  };
}
