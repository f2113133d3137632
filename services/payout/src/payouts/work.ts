import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Filter, UpdateFilter } from "mongodb";
import {
  type PayoutDocument,
  pendingEvent,
  type StoredCall,
  type StoredStep,
  toPayout,
} from "./document.ts";
import type { Uncleared } from "./rules/clearance.ts";
import { exceptionAfterStep, type PayoutException } from "./rules/exception.ts";
import type { Payout } from "./rules/payout.ts";
import { type Progress, publicStatusOf } from "./rules/progress.ts";
import type { HistoryCause, StepCause } from "./rules/timeline.ts";

/** A payout with the right to work on it until the lease ends. */
export type LeasedPayout = {
  readonly payout: Payout;
  readonly leaseToken: string;
  /** The merchant's request that made the payout, where it is known. */
  readonly requestId: string | undefined;
};

/** Who reported or decided an outcome, and as which operation or resolution. */
export type Reporter = { readonly actor: StoredActor; readonly operationId: string };

/** What a change of a payout's progress is written with. */
export type Step = {
  readonly cause: StepCause;
  /** For the journal: `rail said accepted`, `post applied`. */
  readonly detail: string;
  readonly at: Date;
  readonly by?: Reporter;
  /** The lease goes on until a time; or it ends, and work is due at a time, or never again. */
  readonly work: { readonly leasedUntil: Date } | Date | "done";
  /** The rail that is sent the payout next, under its id. */
  readonly submitTo?: string;
  /** What was said between payout and rail, for the journal. */
  readonly calls?: readonly StoredCall[];
  /** The resolution that takes effect with this step. */
  readonly resolves?: string;
};

/**
 * How long a lease is: longer than the slowest rail call with the write after it, and short enough
 * that what a killed worker left is recovered within 10 s. A lease that goes on is renewed by each
 * write.
 */
export const leaseMs = 8_000;

/** The last calls that a payout keeps, leases and answers included. */
const callsMax = 60;

/**
 * A payout that was written so often has a rail that wavers between having it and not knowing: that
 * is journalled no more, so that the document stays small. Every outcome is.
 */
const waveringRevisionMax = 2_000;

/**
 * Takes the payout whose work is due longest, for `leasedMs`. The lease raises the revision: what a
 * worker whose lease ended still writes then changes nothing. A lease that ends later than any
 * honest one was made by a clock that was wrong, and binds nobody.
 */
export async function leaseDue(
  payouts: Collection<PayoutDocument>,
  now: Date,
  leasedMs: number,
  place: string,
): Promise<LeasedPayout | undefined> {
  const leaseToken = crypto.randomUUID();
  const until = new Date(now.getTime() + leasedMs);
  const latest = new Date(now.getTime() + 2 * leasedMs);
  const found = await payouts.findOneAndUpdate(
    { work_due_at: { $lte: now }, $nor: [{ "lease.until": { $gt: now, $lte: latest } }] },
    {
      $set: { lease: { token: leaseToken, until, place } },
      $inc: { revision: 1 },
      $push: { calls: keep([{ kind: "leased", at: now }]) },
    },
    { sort: { work_due_at: 1 }, returnDocument: "after" },
  );
  if (found === null) return undefined;
  return { payout: toPayout(found), leaseToken, requestId: found.request_id };
}

/**
 * Ends the leases that a killed worker of this place left: whoever starts there is its successor.
 * Were it alive after all, the next lease would keep its writes from changing anything.
 */
export async function freeLeases(
  payouts: Collection<PayoutDocument>,
  place: string,
): Promise<void> {
  const open = { work_due_at: { $gt: new Date(0) }, "lease.place": place };
  await payouts.updateMany(open, { $unset: { lease: "" } });
}

/**
 * Moves a payout on in one write, guarded by the revision that was read: `undefined` when somebody
 * was faster. A change of status raises the version and owes its event in the same write.
 */
export async function advance(
  payouts: Collection<PayoutDocument>,
  payout: Payout,
  progress: Progress,
  step: Step,
): Promise<Payout | undefined> {
  const { at, cause, submitTo, work, resolves } = step;
  const from = publicStatusOf(payout.progress).status;
  const to = publicStatusOf(progress).status;
  const isFirstSubmission = submitTo !== undefined && payout.rail === "";
  const doubt = exceptionAfterStep(payout.doubt, progress.stage, cause, at);
  const changed: Payout = {
    ...payout,
    progress,
    version: from === to ? payout.version : payout.version + 1,
    revision: payout.revision + 1,
    ...(isFirstSubmission ? { rail: submitTo, submittedAt: at } : {}),
    doubt,
    uncleared: undefined,
    updatedAt: at,
  };
  const event = from === to ? undefined : pendingEvent(changed);
  const steps = isRecorded(payout, progress, step) ? [stepOf(changed, step)] : [];
  const submission: StoredCall[] = submitTo === undefined ? [] : [{ kind: "submit", at }];
  const calls = [...(step.calls ?? []), ...submission];
  const result = await payouts.updateOne(
    { _id: payout.id, revision: payout.revision } satisfies Filter<PayoutDocument>,
    {
      $set: {
        progress,
        status: to,
        version: changed.version,
        revision: changed.revision,
        updated_at: at,
        ...(isFirstSubmission ? { rail: submitTo, submitted_at: at } : {}),
        ...(doubt && { doubt }),
        ...setWork(work),
      },
      $unset: {
        ...unsetWork(work),
        ...(doubt === undefined ? { doubt: "" } : {}),
        uncleared: "",
      },
      $push: {
        ...(steps.length > 0 && { journal: { $each: steps } }),
        ...(calls.length > 0 && { calls: keep(calls) }),
        ...(resolves !== undefined && { resolutions: { id: resolves, fate: "applied" } }),
        ...(event && { outbox: event, untallied: { id: event.id, at, from, to } }),
      },
    },
  );
  return result.modifiedCount === 1 ? changed : undefined;
}

function keep(calls: readonly StoredCall[]): { $each: StoredCall[]; $slice: number } {
  return { $each: [...calls], $slice: -callsMax };
}

function isRecorded(payout: Payout, progress: Progress, { cause }: Step): boolean {
  const { stage } = payout.progress;
  if (cause === "resolved") return true;
  if (stage === progress.stage) return false;
  const isOpen = progress.stage === "processing" || progress.stage === "unknown";
  return !isOpen || payout.revision <= waveringRevisionMax;
}

/** A step as the journal keeps it, with the payout's stage and version after it. */
export function stepOf(
  { progress, version }: Payout,
  { at, cause, detail, by }: Pick<Step, "at" | "detail" | "by"> & { cause: HistoryCause },
): StoredStep {
  const reporter = by && { actor: by.actor, operation_id: by.operationId };
  return { stage: progress.stage, version, at, cause, detail, ...reporter };
}

/** That a payout waits, as the journal keeps it: once for each status of its beneficiary. */
function waitOf(payout: Payout, { wait, at }: UnclearedNote): StoredStep {
  const detail = `not sent: the screening of its beneficiary is ${wait.status}`;
  return stepOf(payout, { at, cause: "uncleared", detail });
}

function setWork(work: Step["work"]): UpdateFilter<PayoutDocument>["$set"] {
  if (work === "done") return {};
  return work instanceof Date ? { work_due_at: work } : { "lease.until": work.leasedUntil };
}

function unsetWork(work: Step["work"]): UpdateFilter<PayoutDocument>["$unset"] {
  if (work === "done") return { lease: "", work_due_at: "" };
  return work instanceof Date ? { lease: "" } : {};
}

/**
 * Work on an open payout is never due later than a rail worker may put it off. What is due later
 * was written by a clock that was wrong, and is due now.
 */
export async function recallWork(
  payouts: Collection<PayoutDocument>,
  now: Date,
  deferMaxMs: number,
): Promise<void> {
  const latest = new Date(now.getTime() + 2 * deferMaxMs);
  await payouts.updateMany(
    { work_due_at: { $gt: latest }, status: "initiated" },
    { $set: { work_due_at: now } },
  );
}

/** How a lease ends that changed no state. */
export type Release = {
  readonly work: Date | "done";
  readonly calls?: readonly StoredCall[];
  /** A doubt that arose. */
  readonly doubt?: PayoutException;
  /** That its beneficiary is not cleared, where that is news. */
  readonly uncleared?: UnclearedNote;
};

/** A wait for a beneficiary, as it was found at a time. */
type UnclearedNote = { readonly wait: Uncleared; readonly at: Date };

/**
 * Ends a lease without a change of state; a lease that somebody else has by now stays, and so does
 * a doubt that somebody else raised.
 */
export async function release(
  payouts: Collection<PayoutDocument>,
  { payout, leaseToken }: LeasedPayout,
  { work, calls = [], doubt, uncleared }: Release,
): Promise<void> {
  if (doubt !== undefined || uncleared !== undefined) {
    await note(payouts, payout, { ...(doubt && { doubt }), ...(uncleared && { uncleared }) });
  }
  await payouts.updateOne(
    { _id: payout.id, "lease.token": leaseToken },
    {
      $set: { ...setWork(work) },
      $unset: unsetWork(work) ?? {},
      ...(calls.length > 0 && { $push: { calls: keep(calls) } }),
    },
  );
}

/** What was heard of a payout without a change of its state. */
export type Note = {
  readonly call?: StoredCall;
  /** A doubt that it raises. */
  readonly doubt?: PayoutException;
  /** That it waits for its beneficiary: an entry of the journal that no merchant is shown. */
  readonly uncleared?: UnclearedNote;
};

/**
 * Journals what was heard. One that raises a doubt or tells of a wait is guarded by the revision
 * that was read: `false` when somebody was faster.
 */
export async function note(
  payouts: Collection<PayoutDocument>,
  payout: Payout,
  { call, doubt, uncleared }: Note,
): Promise<boolean> {
  const told = call && { calls: keep([call]) };
  if (doubt === undefined && uncleared === undefined) {
    if (told !== undefined) await payouts.updateOne({ _id: payout.id }, { $push: told });
    return true;
  }
  const journal = uncleared && { journal: waitOf(payout, uncleared) };
  const result = await payouts.updateOne(
    { _id: payout.id, revision: payout.revision },
    {
      $set: { ...(doubt && { doubt }), ...(uncleared && { uncleared: uncleared.wait }) },
      $inc: { revision: 1 },
      ...((told || journal) && { $push: { ...told, ...journal } }),
    },
  );
  return result.modifiedCount === 1;
}
