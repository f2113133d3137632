import { shardOf } from "../../endpoints/rules/shard.ts";
import type { Lane } from "./lane-table.ts";

/** Attempts under way in some scope; what was claimed is counted apart, for it had waited. */
export type Load = { running: number; claimed: number };

export type Loads = ReturnType<typeof createLoads>;

/** Counts what is under way: here, of each merchant, of each endpoint, in each shard. */
export function createLoads() {
  const all: Load = { running: 0, claimed: 0 };
  const merchants = new Map<string, Load>();
  const shards = new Map<number, number>();
  let open = 0;
  let admitted = 0;

  const ofMerchant = (merchantId: string): Load =>
    merchants.get(merchantId) ?? { running: 0, claimed: 0 };

  return {
    all: all as Readonly<Load>,
    ofMerchant: ofMerchant as (merchantId: string) => Readonly<Load>,
    /** Attempts that were not claimed, since this process began. */
    admitted: (): number => admitted,
    /** At endpoints whose circuit is open. */
    open: (): number => open,
    isBusy: (shard: number): boolean => shards.has(shard),

    count: (lane: Lane, by: 1 | -1, isClaimed: boolean): void => {
      if (by === 1 && !isClaimed) admitted += 1;
      const merchant = ofMerchant(lane.merchantId);
      for (const load of [all, lane, merchant]) {
        load.running += by;
        if (isClaimed) load.claimed += by;
      }
      if (merchant.running === 0) merchants.delete(lane.merchantId);
      else merchants.set(lane.merchantId, merchant);
      const shard = shardOf(lane.endpointId);
      const inShard = (shards.get(shard) ?? 0) + by;
      if (inShard === 0) shards.delete(shard);
      else shards.set(shard, inShard);
      if (lane.health.circuit === "open") open += by;
    },

    /** A circuit has changed to what it is now. */
    turned: (lane: Lane): void => {
      open += lane.health.circuit === "open" ? lane.running : -lane.running;
    },
  };
}
