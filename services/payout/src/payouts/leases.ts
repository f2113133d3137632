import { createGatherer } from "@disburse/chassis/mongo/grouping/gatherer.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Payouts, toPayout } from "./document.ts";
import { keep, type LeasedPayout } from "./work.ts";

/** Longer than the slowest rail call and write; what a killed worker left resumes within 10 s. */
export const leaseMs = 8_000;

/** The payouts of one look; a due one that is not among them is in the next. */
const batchMax = 64;
/** One look at a time: what is being leased must not be found again. */
const limits = {
  ...{ batchMax, inFlightMax: 1, waitingMax: Number.POSITIVE_INFINITY },
  ...{ batchBytesMax: Number.POSITIVE_INFINITY, waitingBytesMax: Number.POSITIVE_INFINITY },
};

type Asking = { readonly key: undefined; readonly bytes: 0 } & Pick<
  PromiseWithResolvers<LeasedPayout | undefined>,
  "resolve" | "reject"
>;

/** Answers with a leased payout; `undefined`: none is due. */
export type LeaseNext = () => Promise<LeasedPayout | undefined>;

/**
 * Leases payouts to the workers of one process, those whose work is due longest first. Workers that
 * ask at the same time are served from one look at what is due.
 */
export function createLeases(payouts: Payouts, clock: Clock, place: string): LeaseNext {
  const send = async (asking: readonly Asking[]) => {
    try {
      const by = { place, leasedMs: leaseMs };
      const leased = await leaseDue(payouts, clock.now(), by, asking.length);
      for (const [at, { resolve }] of asking.entries()) resolve(leased[at]);
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  };
  const gatherer = createGatherer(send, limits);
  return () =>
    new Promise((resolve, reject) => {
      gatherer.add({ key: undefined, bytes: 0, resolve, reject });
    });
}

/**
 * Leases up to `limit` payouts for `leasedMs`. The lease raises the revision, so that a worker
 * whose lease expired changes nothing. A lease that ends later than a correct clock can have set
 * counts as expired.
 */
export async function leaseDue(
  payouts: Payouts,
  now: Date,
  { place, leasedMs }: { readonly place: string; readonly leasedMs: number },
  limit: number,
): Promise<LeasedPayout[]> {
  const latest = new Date(now.getTime() + 2 * leasedMs);
  const due = await payouts
    .find({ work_due_at: { $lte: now }, $nor: [{ "lease.until": { $gt: now, $lte: latest } }] })
    .sort({ work_due_at: 1 })
    .limit(limit)
    .toArray();
  const until = new Date(now.getTime() + leasedMs);
  const leased = due.map(async (found): Promise<LeasedPayout | undefined> => {
    const token = crypto.randomUUID();
    const { matchedCount } = await payouts.updateOne(
      { _id: found._id, revision: found.revision },
      {
        $set: { lease: { token, until, place } },
        $inc: { revision: 1 },
        $push: { calls: keep([{ kind: "leased", at: now }]) },
      },
    );
    // Another process has leased or changed it.
    if (matchedCount === 0) return undefined;
    const payout = { ...toPayout(found), revision: found.revision + 1 };
    return { payout, leaseToken: token, requestId: found.request_id };
  });
  return (await Promise.all(leased)).filter((each) => each !== undefined);
}
