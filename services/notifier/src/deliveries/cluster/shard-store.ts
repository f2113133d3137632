import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Collection } from "mongodb";
import { shardCount } from "../../endpoints/rules/shard.ts";
import { schemaVersion } from "../documents.ts";
import type { ShardOwners } from "../rules/shards.ts";

/** A process that delivers webhooks. Its document exists while it sends heartbeats. */
type WorkerDocument = {
  /** The process's token, which is new each time that it joins. */
  _id: string;
  schema_version: number;
  place: string;
  /**
   * The number of heartbeats. Other processes measure with their own clocks how long it stays
   * unchanged.
   */
  beat: number;
};

/**
 * The owners of all shards in one document. A write succeeds only if the epoch has not changed
 * since the read.
 */
type ShardsDocument = {
  _id: string;
  schema_version: number;
  epoch: number;
  owners: (string | null)[];
};

export type Worker = { readonly token: string; readonly place: string; readonly heartbeat: number };
/** The owners of all shards at an epoch. */
export type Shards = { readonly epoch: number; readonly owners: ShardOwners };

export type ShardStore = ReturnType<typeof openShardStore>;

const shardsId = "all";

/**
 * Stores the processes and their shards, but no clock times. A process evicts another one if it has
 * seen no new heartbeat for the duration of a lease. The eviction fails if a heartbeat arrives
 * before it.
 */
export function openShardStore({ db }: Database) {
  const workers: Collection<WorkerDocument> = db.collection("workers");
  const shards: Collection<ShardsDocument> = db.collection("shards");

  return {
    join: async (token: string, place: string): Promise<void> => {
      // A duplicate means that an earlier insert succeeded but its response was lost.
      await insertOnce(workers, { _id: token, schema_version: schemaVersion, place, beat: 0 });
    },

    /**
     * Sends a heartbeat. Returns `false` if the process was evicted. Other processes may then own
     * its shards.
     */
    heartbeat: async (token: string): Promise<boolean> => {
      const { matchedCount } = await workers.updateOne({ _id: token }, { $inc: { beat: 1 } });
      return matchedCount === 1;
    },

    members: async (): Promise<Worker[]> => {
      const found = await workers.find({ _id: { $gt: "" } }).toArray();
      return found.map(({ _id, place, beat }) => ({ token: _id, place, heartbeat: beat }));
    },

    /**
     * Removes a process, unless it has sent a heartbeat since it was read. Returns true if the
     * process was removed.
     */
    evict: async ({ token, heartbeat }: Pick<Worker, "token" | "heartbeat">): Promise<boolean> =>
      (await workers.deleteOne({ _id: token, beat: heartbeat })).deletedCount === 1,

    leave: (token: string) => workers.deleteOne({ _id: token }),

    read: async (): Promise<Shards> => {
      const found = await shards.findOne({ _id: shardsId });
      if (found !== null) return { epoch: found.epoch, owners: found.owners };
      const owners = Array.from({ length: shardCount }, () => null);
      await insertOnce(shards, { _id: shardsId, schema_version: schemaVersion, epoch: 0, owners });
      return { epoch: 0, owners };
    },

    /**
     * Changes the owners. Returns `false` if another process has changed them since this process
     * read `before`.
     */
    write: async (before: Shards, owners: ShardOwners): Promise<boolean> => {
      const { matchedCount } = await shards.updateOne(
        { _id: shardsId, epoch: before.epoch },
        { $set: { owners: [...owners] }, $inc: { epoch: 1 } },
      );
      return matchedCount === 1;
    },
  };
}
