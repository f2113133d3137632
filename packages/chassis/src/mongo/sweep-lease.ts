import type { Collection } from "mongodb";
import type { Database } from "./database.ts";
import { insertOnce } from "./once.ts";

type LeaseDocument = {
  /** What the lease is for. */
  _id: string;
  schema_version: number;
  owner: string;
  until: Date;
  /** One more with each new owner. */
  epoch: number;
};

/** The right of one process to sweep, of all that could. */
export type SweepLease = {
  /**
   * Takes or renews the lease. `undefined`: another process has it. A sweep that outlives its lease
   * is harmless: what it writes is guarded by what it read (docs/decisions/0008), the lease only
   * spares the others the work.
   */
  hold(): Promise<{ readonly epoch: number } | undefined>;
  /** Gives the lease back, so that another process need not wait for its end. */
  release(): Promise<void>;
};

/** A lease of `leaseMs` by the database's clock, under a name, for this process. */
export function createSweepLease({ db }: Database, name: string, leaseMs: number): SweepLease {
  const leases: Collection<LeaseDocument> = db.collection("leases");
  const owner = crypto.randomUUID();
  const until = { $add: ["$$NOW", leaseMs] };
  const isFree = { $expr: { $lte: ["$until", "$$NOW"] } };

  const take = async () => {
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
  const remembered = (taken: { readonly epoch: number } | undefined, askedAt: number) => {
    held = taken && { ...taken, renewAt: askedAt + leaseMs / 2 };
    return taken;
  };

  return {
    hold: async () => {
      const askedAt = performance.now();
      // Not a write with every sweep: what is held for longer than half a lease is held still.
      if (held !== undefined && askedAt < held.renewAt) return { epoch: held.epoch };
      const taken = remembered(await take(), askedAt);
      if (taken !== undefined) return taken;
      // The first lease under a name begins as an expired one, for the first that takes it.
      const expired = { owner: "", until: new Date(0), epoch: 0 };
      const document = { _id: name, schema_version: 1, ...expired };
      if (!(await insertOnce(leases, document))) return undefined;
      return remembered(await take(), askedAt);
    },
    release: async () => {
      held = undefined;
      await leases.updateOne({ _id: name, owner }, { $set: { until: new Date(0) } });
    },
  };
}
