import type { Collection } from "mongodb";
import type { Database } from "./database.ts";
import { insertOnce } from "./once.ts";

type LeaseDocument = {
  _id: string;
  schema_version: number;
  owner: string;
  until: Date;
  epoch: number;
};

/** Allows only one process of a service to run a sweep. */
export type SweepLease = ReturnType<typeof createSweepLease>;

/** Creates a lease with this name for this process. It lasts `leaseMs` by the database's clock. */
export function createSweepLease({ db }: Database, name: string, leaseMs: number) {
  const leases: Collection<LeaseDocument> = db.collection("leases");
  const owner = crypto.randomUUID();
  const until = { $add: ["$$NOW", leaseMs] };
  const isFree = { $expr: { $lte: ["$until", "$$NOW"] } };

  const acquire = async () => {
    const found = await leases.findOneAndUpdate(
      { _id: name, $or: [{ owner }, isFree] },
      [
        {
          $set: {
            epoch: { $add: ["$epoch", { $cond: [{ $eq: ["$owner", owner] }, 0, 1] }] },
            owner,
            until,
          },
        },
      ],
      { returnDocument: "after" },
    );
    return found === null ? undefined : { epoch: found.epoch };
  };

  let held: { readonly epoch: number; readonly renewAt: number } | undefined;
  const remember = (acquired: { readonly epoch: number } | undefined, startedAt: number) => {
    held = acquired && { ...acquired, renewAt: startedAt + leaseMs / 2 };
    return acquired;
  };

  return {
    /**
     * Acquires or renews the lease. Returns `undefined` if another process has it. If a sweep runs
     * longer than its lease, no harm is done, because each of its writes requires that the data is
     * unchanged since it was read (docs/decisions/0008). The lease only avoids duplicate work.
     */
    hold: async (): Promise<{ readonly epoch: number } | undefined> => {
      const startedAt = performance.now();
      // The lease is written once per half of its lifetime, not for each sweep.
      if (held !== undefined && startedAt < held.renewAt) return { epoch: held.epoch };
      const acquired = remember(await acquire(), startedAt);
      if (acquired !== undefined) return acquired;
      // The first process inserts the lease as an expired one, and any process can then acquire it.
      const expired = { owner: "", until: new Date(0), epoch: 0 };
      const document = { _id: name, schema_version: 1, ...expired };
      if (!(await insertOnce(leases, document))) return undefined;
      return remember(await acquire(), startedAt);
    },
    /** Releases the lease, so that another process need not wait until the lease expires. */
    release: async (): Promise<void> => {
      held = undefined;
      await leases.updateOne({ _id: name, owner }, { $set: { until: new Date(0) } });
    },
  };
}
