import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Collection } from "mongodb";
import { shardCount } from "../../endpoints/rules/shard.ts";
import { schemaVersion } from "../documents.ts";
import type { ShardOwners } from "../rules/shards.ts";

/** A process that delivers, for as long as it sends heartbeats. */
type WorkerDocument = {
  /** Its token, new whenever it joins again. */
  _id: string;
  schema_version: number;
  place: string;
  /** Counts heartbeats; other processes time its changes by their own clocks. */
  beat: number;
};

/** Who delivers to which endpoints: one document, changed where its epoch is still the one read. */
type ShardsDocument = {
  _id: string;
  schema_version: number;
  epoch: number;
  owners: (string | null)[];
};

/** A process that delivers. */
export type Worker = { readonly token: string; readonly place: string; readonly heartbeat: number };
/** The owners of all shards, at an epoch. */
export type Shards = { readonly epoch: number; readonly owners: ShardOwners };

/** Processes and the shards that they own. */
export type ShardStore = ReturnType<typeof openShardStore>;

const shardsId = "all";

/**
 * Processes and the shards that they own. No clock time is stored: a process that sees another's
 * heartbeat unchanged for the length of a lease evicts it, if it still is.
 */
export function openShardStore({ db }: Database) {
  const workers: Collection<WorkerDocument> = db.collection("workers");
  const shards: Collection<ShardsDocument> = db.collection("shards");

  return {
    join: async (token: string, place: string): Promise<void> => {
      // A duplicate: the answer of an earlier insert was lost.
      await insertOnce(workers, { _id: token, schema_version: schemaVersion, place, beat: 0 });
    },

    /** `false`: it was evicted, and other processes may own its shards. */
    heartbeat: async (token: string): Promise<boolean> => {
      const { matchedCount } = await workers.updateOne({ _id: token }, { $inc: { beat: 1 } });
      return matchedCount === 1;
    },

    members: async (): Promise<Worker[]> => {
      const found = await workers.find({ _id: { $gt: "" } }).toArray();
      return found.map(({ _id, place, beat }) => ({ token: _id, place, heartbeat: beat }));
    },

    /** Removes a process, unless it has sent a heartbeat since; answers whether it did. */
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

    /** Changes the owners; `false`: another process changed them since `before` was read. */
    write: async (before: Shards, owners: ShardOwners): Promise<boolean> => {
      const { matchedCount } = await shards.updateOne(
        { _id: shardsId, epoch: before.epoch },
        { $set: { owners: [...owners] }, $inc: { epoch: 1 } },
      );
      return matchedCount === 1;
    },
  };
}
