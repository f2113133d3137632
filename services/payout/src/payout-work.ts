import type { StoredActor } from "@disburse/chassis/mutation.ts";
import type { Collection, Filter, UpdateFilter } from "mongodb";
import type { Payout } from "./domain/payout.ts";
import { faceOf, type Progress } from "./domain/progress.ts";
import { owedEvent, type PayoutDocument, toPayout } from "./payout-documents.ts";

/** A payout with the right to work on it until the lease ends. */
export type LeasedPayout = {
  readonly payout: Payout;
  readonly leaseToken: string;
  /** The merchant's request that made the payout, where it is known. */
  readonly requestId: string | undefined;
};

/** What a change of a payout's progress is written with. */
export type Step = {
  /** For the journal: `rail said accepted`, `post applied`. */
  readonly cause: string;
  readonly at: Date;
  /** Of a report: who made it, and as which operation. */
  readonly by?: { readonly actor: StoredActor; readonly operationId: string };
  /** The lease goes on; or it ends, and work is due at a time, or never again. */
  readonly work: "go_on" | "done" | Date;
};

/**
 * The journal of one payout: submissions and answers; polls that change nothing are not written.
 */
const journalMax = 50;

/**
 * Takes the payout whose work is due longest, for `leaseMs`. The lease raises the revision: what a
 * worker whose lease ended still writes then changes nothing.
 */
export async function leaseDue(
  payouts: Collection<PayoutDocument>,
  now: Date,
  leaseMs: number,
): Promise<LeasedPayout | undefined> {
  const leaseToken = crypto.randomUUID();
  const until = new Date(now.getTime() + leaseMs);
  const found = await payouts.findOneAndUpdate(
    { work_due_at: { $lte: now }, $nor: [{ "lease.until": { $gt: now } }] },
    { $set: { lease: { token: leaseToken, until } }, $inc: { revision: 1 } },
    { sort: { work_due_at: 1 }, returnDocument: "after" },
  );
  if (found === null) return undefined;
  return { payout: toPayout(found), leaseToken, requestId: found.request_id };
}

/**
 * Moves a payout on in one write, guarded by the revision that was read: `undefined` when somebody
 * was faster. A change of status raises the version and owes its event in the same write.
 */
export async function advance(
  payouts: Collection<PayoutDocument>,
  payout: Payout,
  progress: Progress,
  { cause, at, work, by }: Step,
): Promise<Payout | undefined> {
  const from = faceOf(payout.progress).status;
  const to = faceOf(progress).status;
  const changed: Payout = {
    ...payout,
    progress,
    version: from === to ? payout.version : payout.version + 1,
    revision: payout.revision + 1,
    updatedAt: at,
  };
  const reporter = by && { actor: by.actor, operation_id: by.operationId };
  const journalEntry = { stage: progress.stage, at, cause, ...reporter };
  const event = from === to ? undefined : owedEvent(changed);
  const result = await payouts.updateOne(
    { _id: payout.id, revision: payout.revision } satisfies Filter<PayoutDocument>,
    {
      $set: {
        progress,
        status: to,
        version: changed.version,
        revision: changed.revision,
        updated_at: at,
        ...(work instanceof Date ? { work_due_at: work } : {}),
      },
      ...endOfLease(work),
      $push: {
        journal: { $each: [journalEntry], $slice: -journalMax },
        ...(event && { outbox: event, untallied: { id: event.id, at, from, to } }),
      },
    },
  );
  return result.modifiedCount === 1 ? changed : undefined;
}

function endOfLease(work: Step["work"]): Pick<UpdateFilter<PayoutDocument>, "$unset"> {
  if (work === "go_on") return {};
  return { $unset: work === "done" ? { lease: "", work_due_at: "" } : { lease: "" } };
}

/** Ends a lease without a change of state; a lease that somebody else has by now stays. */
export async function release(
  payouts: Collection<PayoutDocument>,
  { payout, leaseToken }: LeasedPayout,
  work: Date | "done",
): Promise<void> {
  await payouts.updateOne(
    { _id: payout.id, "lease.token": leaseToken },
    work === "done"
      ? { $unset: { lease: "", work_due_at: "" } }
      : { $set: { work_due_at: work }, $unset: { lease: "" } },
  );
}
