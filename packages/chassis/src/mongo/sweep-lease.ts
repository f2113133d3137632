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

/** Lets one process of a service sweep. */
export type SweepLease = ReturnType<typeof createSweepLease>;

/** Creates a named lease of `leaseMs`, by the database's clock, for this process. */
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
     * Acquires or renews the lease; `undefined` if another process has it. A sweep that outlives
     * its lease is harmless: its writes are conditional on what it read (docs/decisions/0008). The
     * lease only saves the other processes the work.
     */
    hold: async (): Promise<{ readonly epoch: number } | undefined> => {
      const startedAt = performance.now();
      // One write per half lease, not one per sweep.
      if (held !== undefined && startedAt < held.renewAt) return { epoch: held.epoch };
      const acquired = remember(await acquire(), startedAt);
      if (acquired !== undefined) return acquired;
      // The first lease of a name starts as an expired one, which the first process can take.
      const expired = { owner: "", until: new Date(0), epoch: 0 };
      const document = { _id: name, schema_version: 1, ...expired };
      if (!(await insertOnce(leases, document))) return undefined;
      return remember(await acquire(), startedAt);
    },
    /** Releases the lease, so that another process need not wait until it expires. */
    release: async (): Promise<void> => {
      held = undefined;
      await leases.updateOne({ _id: name, owner }, { $set: { until: new Date(0) } });
    },
  };
}
