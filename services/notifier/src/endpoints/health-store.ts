import { type Database, isOnlyDuplicateKeys } from "@disburse/chassis/mongo/database.ts";
import type { UpdateFilter } from "mongodb";
import { schemaVersion } from "./documents.ts";
import type { Health } from "./rules/health.ts";
import { shardOf } from "./rules/shard.ts";

/** The health of an endpoint as its owner has saved it. It may be a few seconds old. */
export type HealthDocument = {
  /** The id of the endpoint. */
  _id: string;
  schema_version: number;
  shard: number;
  circuit: Health["circuit"];
  concurrency_limit: number;
  consecutive_failures: number;
  failing_since: Date | null;
  failing_days: number;
  last_delivered_at: Date | null;
  last_failed_at: Date | null;
  last_failure: string;
  report?: ReportDocument;
};

/**
 * The report of a failure period. `failing` and `recovered` mean that the event must be published,
 * `reported` that the endpoint's recovery is awaited. Saving the health doesn't change it.
 */
export type ReportDocument = {
  state: "failing" | "reported" | "recovered";
  failing_since: Date;
  /** The time of the state's event: a failure, or the acknowledgement that ended the period. */
  at: Date;
};

/** Marks a deleted endpoint. Later writes by the endpoint's owner have no effect. */
type DeletedHealth = { _id: string; schema_version: number; deleted_at: Date };

export type HealthStore = ReturnType<typeof openHealthStore>;

/**
 * Maximum endpoints whose health a new owner restores. The health of the others starts from zero.
 */
const troubledMax = 10_000;
const notDeleted = { deleted_at: { $exists: false } };
/**
 * Health with a failure in this time is restored. A failure streak has a failure in each 24-hour
 * period, so two failures may be almost two days apart.
 */
const troubledForMs = 2 * 86_400_000;

/** Stores the health of endpoints. Merchants and the next owner of an endpoint read it. */
export function openHealthStore({ db }: Database) {
  const healths = db.collection<HealthDocument>("endpoint_health");
  const deleted = db.collection<DeletedHealth>("endpoint_health");

  return {
    read: async (endpointIds: readonly string[]): Promise<ReadonlyMap<string, Health>> => {
      const found = await healths.find({ _id: { $in: [...endpointIds] }, ...notDeleted }).toArray();
      return new Map(found.map((each) => [each._id, toHealth(each)]));
    },

    /**
     * Returns the health of endpoints in these shards that failed in the last two days. The latest
     * failure comes first.
     */
    troubled: async (
      shards: readonly number[],
      now: Date,
    ): Promise<ReadonlyMap<string, Health>> => {
      const since = new Date(now.getTime() - troubledForMs);
      const found = await healths
        .find({
          shard: { $in: [...shards] },
          last_failed_at: { $gte: since },
          consecutive_failures: { $gt: 0 },
        })
        .sort({ last_failed_at: -1 })
        .limit(troubledMax)
        .toArray();
      return new Map(found.map((each) => [each._id, toHealth(each)]));
    },

    write: async (changed: ReadonlyMap<string, Health>): Promise<void> => {
      if (changed.size === 0) return;
      const writes = [...changed].map(([endpointId, health]) => ({
        updateOne: {
          filter: { _id: endpointId, ...notDeleted },
          update: updateOf(endpointId, health),
          upsert: true,
        },
      }));
      try {
        await healths.bulkWrite(writes, { ordered: false });
      } catch (error) {
        // A duplicate key means that the endpoint is marked as deleted. The write is ignored then.
        if (!isOnlyDuplicateKeys(error)) throw error;
      }
    },

    /** Replaces the health of a deleted endpoint with a mark. */
    forget: async (endpointId: string, at: Date): Promise<void> => {
      const marked = { schema_version: schemaVersion, deleted_at: at };
      await deleted.replaceOne({ _id: endpointId }, marked, { upsert: true });
    },
  };
}

/**
 * Builds the update that saves health. If the new owner has no value for a time, the previous
 * owner's value stays.
 */
function updateOf(endpointId: string, health: Health): UpdateFilter<HealthDocument> {
  const { lastDeliveredAt, lastFailedAt, lastFailure } = health;
  const delivered = { last_delivered_at: lastDeliveredAt ?? null };
  const failed = { last_failed_at: lastFailedAt ?? null, last_failure: lastFailure };
  return {
    $set: {
      shard: shardOf(endpointId),
      circuit: health.circuit,
      concurrency_limit: health.concurrency,
      consecutive_failures: health.consecutiveFailures,
      failing_since: health.failingSince ?? null,
      failing_days: health.failingDays ?? 0,
      ...(lastDeliveredAt && delivered),
      ...(lastFailedAt && failed),
    },
    $setOnInsert: {
      schema_version: schemaVersion,
      ...(!lastDeliveredAt && delivered),
      ...(!lastFailedAt && failed),
    },
  };
}

function toHealth(stored: HealthDocument): Health {
  return {
    circuit: stored.circuit,
    concurrency: stored.concurrency_limit,
    consecutiveFailures: stored.consecutive_failures,
    failingSince: stored.failing_since ?? undefined,
    failingDays: stored.failing_days || undefined,
    lastDeliveredAt: stored.last_delivered_at ?? undefined,
    lastFailedAt: stored.last_failed_at ?? undefined,
    lastFailure: stored.last_failure,
  };
}
