import { type Database, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { Collection } from "mongodb";
import { shardCount } from "../../endpoints/rules/shard.ts";
import { schemaVersion } from "../documents.ts";
import type { ShardOwners } from "../rules/shards.ts";

/** A process that delivers, for as long as it beats. */
type WorkerDocument = {
  /** Its token, new whenever it begins anew. */
  _id: string;
  schema_version: number;
  place: string;
  /** One more every few seconds; others watch it by clocks of their own. */
  beat: number;
};

/** Who delivers to which endpoints: one document, changed where its epoch is still the one read. */
type ShardsDocument = {
  _id: string;
  schema_version: number;
  epoch: number;
  owners: (string | null)[];
};

export type Worker = { readonly token: string; readonly place: string; readonly beat: number };
export type Shards = { readonly epoch: number; readonly owners: ShardOwners };

export type ShardStore = ReturnType<typeof openShardStore>;

const shardsId = "all";

/**
 * Processes and what they own. No time of any clock stands in it: a process is dead when another
 * has seen its beat unchanged for the length of a lease, and takes it away under that very beat.
 */
export function openShardStore({ db }: Database) {
  const workers: Collection<WorkerDocument> = db.collection("workers");
  const shards: Collection<ShardsDocument> = db.collection("shards");

  return {
    join: async (token: string, place: string): Promise<void> => {
      try {
        await workers.insertOne({ _id: token, schema_version: schemaVersion, place, beat: 0 });
      } catch (error) {
        // The answer of an insert before was lost.
        if (!isDuplicateKey(error)) throw error;
      }
    },

    /** Answers whether it is still known; if not, all that it owned may be another's by now. */
    beat: async (token: string): Promise<boolean> => {
      const { matchedCount } = await workers.updateOne({ _id: token }, { $inc: { beat: 1 } });
      return matchedCount === 1;
    },

    living: async (): Promise<Worker[]> => {
      const found = await workers.find({ _id: { $gt: "" } }).toArray();
      return found.map(({ _id, place, beat }) => ({ token: _id, place, beat }));
    },

    /** Takes a process away, unless it has beaten since. */
    bury: ({ token, beat }: Pick<Worker, "token" | "beat">) =>
      workers.deleteOne({ _id: token, beat }),

    leave: (token: string) => workers.deleteOne({ _id: token }),

    read: async (): Promise<Shards> => {
      const found = await shards.findOne({ _id: shardsId });
      if (found !== null) return { epoch: found.epoch, owners: found.owners };
      const owners = Array.from({ length: shardCount }, () => null);
      try {
        await shards.insertOne({ _id: shardsId, schema_version: schemaVersion, epoch: 0, owners });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      return { epoch: 0, owners };
    },

    /** Writes who owns what from now on; `false` when somebody else was first. */
    write: async (before: Shards, owners: ShardOwners): Promise<boolean> => {
      const { matchedCount } = await shards.updateOne(
        { _id: shardsId, epoch: before.epoch },
        { $set: { owners: [...owners] }, $inc: { epoch: 1 } },
      );
      return matchedCount === 1;
    },
  };
}
