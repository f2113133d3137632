import type { Origin } from "@disburse/chassis/call-context.ts";
import { toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Filter, UpdateFilter } from "mongodb";
import type { PayoutDocument, Payouts, StoredCall, StoredStep } from "./document.ts";
import { type PendingEvent, pendingEvent } from "./pending-event.ts";
import type { Approval, ApprovalDecision } from "./rules/approval.ts";
import type { Uncleared } from "./rules/clearance.ts";
import { exceptionAfterStep, type PayoutException } from "./rules/exception.ts";
import type { Payout } from "./rules/payout.ts";
import { type Progress, publicStatusOf } from "./rules/progress.ts";
import type { HistoryCause, StepCause } from "./rules/timeline.ts";

/** A payout and its lease, which allows work on the payout until it expires. */
export type LeasedPayout = {
  readonly payout: Payout;
  readonly leaseToken: string;
  readonly until: Date;
  /** The request that created the payout, if known. */
  readonly origin: Origin;
  /** Calls to the rail that are not stored yet. The next write stores them. */
  readonly calls: readonly StoredCall[];
};

/** The fields of a write that changes a payout's progress. */
export type Step = {
  readonly cause: StepCause;
  /** The text in the history, for example `rail reported accepted` or `post applied`. */
  readonly detail: string;
  readonly at: Date;
  /** The actor that reported or decided an outcome, and its operation or resolution. */
  readonly by?: Change;
  /**
   * `leasedUntil` renews the lease. A date ends the lease and sets the time of the next work.
   * `done` ends the lease, and no work is left.
   */
  readonly work: { readonly leasedUntil: Date } | Date | "done";
  /** The rail that the next call submits the payout to, under the payout's id. */
  readonly submitTo?: string;
  /** The time by which the rail usually has paid the payout. */
  readonly expectedAt?: Date | undefined;
  /** Calls between the worker and the rail, for the history. */
  readonly calls?: readonly StoredCall[];
  /** The resolution that takes effect with this step. */
  readonly resolves?: string;
  /** The decision on the payout's approval that takes effect with this step. */
  readonly decides?: Decision;
};

/** A decision on an approval. With `inTime`, the write fails if the approval has expired. */
export type Decision = {
  readonly decision: ApprovalDecision;
  readonly inTime: boolean;
};

/** Compares with the clock of the payouts' database. */
const beforeExpiry = { $expr: { $lt: ["$$NOW", "$approval.expires_at"] } };

/** The maximum number of calls that a payout keeps. Leases and responses count too. */
const callsMax = 60;

/**
 * Above this revision, the history records only outcomes and the first submission. A rail that
 * keeps changing its report must not make the document grow without limit.
 */
const waveringRevisionMax = 2_000;

/**
 * Ends the leases of an earlier process at the same `place`, which was killed. If that process is
 * still alive, it can't change the payouts any more.
 */
export async function freeLeases(payouts: Payouts, place: string): Promise<void> {
  const open = { work_due_at: { $gt: new Date(0) }, "lease.place": place };
  await payouts.updateMany(open, { $unset: { lease: "" } });
}

/** A payout after a step. `event` is set if its status changed. */
export type Advanced = { readonly payout: Payout; readonly event?: PendingEvent };

/**
 * Advances a payout in one write. The write requires the revision that was read. Returns
 * `undefined` if a concurrent write won. If the status changes, the same write raises the version
 * and adds the event.
 */
export async function advance(
  payouts: Payouts,
  payout: Payout,
  progress: Progress,
  step: Step,
): Promise<Advanced | undefined> {
  const { at, cause, submitTo, expectedAt, work, resolves, decides } = step;
  const from = publicStatusOf(payout.progress).status;
  const to = publicStatusOf(progress).status;
  const submitted =
    submitTo !== undefined && payout.submittedAt === undefined
      ? { rail: submitTo, submittedAt: at }
      : undefined;
  const exception = exceptionAfterStep(payout.exception, progress.stage, cause, at);
  const approval: Approval | undefined = decides &&
    payout.approval && { ...payout.approval, decision: decides.decision };
  const changed: Payout = {
    ...payout,
    ...submitted,
    ...(approval && { approval }),
    ...(expectedAt && { expectedAt }),
    progress,
    version: from === to ? payout.version : payout.version + 1,
    revision: payout.revision + 1,
    exception,
    uncleared: undefined,
    updatedAt: at,
  };
  const event = from === to ? undefined : pendingEvent(changed);
  const submission: StoredCall[] = submitTo === undefined ? [] : [{ kind: "submit", at }];
  const calls = [...(step.calls ?? []), ...submission];
  const result = await payouts.updateOne(
    {
      ...({ _id: payout.id, revision: payout.revision } satisfies Filter<PayoutDocument>),
      ...(decides?.inTime === true && beforeExpiry),
    },
    {
      $set: {
        progress,
        status: to,
        version: changed.version,
        revision: changed.revision,
        updated_at: at,
        ...(submitted && { rail: submitted.rail, submitted_at: at }),
        ...(expectedAt && { expected_at: expectedAt }),
        ...(exception && { exception }),
        ...(decides && { "approval.decision": toStored(decides.decision) }),
        ...setWork(work),
      },
      $unset: {
        ...unsetWork(work),
        ...(exception === undefined && { exception: "" }),
        uncleared: "",
      },
      $push: {
        ...(isRecorded(payout, progress, step) && { journal: stepOf(changed, step) }),
        calls: keep(calls),
        ...(resolves !== undefined && { resolutions: { id: resolves, effect: "applied" } }),
        ...(event && { outbox: event }),
      },
    },
  );
  if (result.modifiedCount !== 1) return undefined;
  return { payout: changed, ...(event && { event }) };
}

/**
 * Stores the rail whose account funds a payout, before money is held in that account. The end of
 * the payout then releases or posts that hold. Returns `undefined` if a concurrent write won.
 */
export async function nameRail(
  payouts: Payouts,
  leased: LeasedPayout,
  rail: string,
): Promise<LeasedPayout | undefined> {
  const { id, revision } = leased.payout;
  const named = { rail, funded: true } as const;
  const result = await payouts.updateOne(
    { _id: id, revision },
    { $set: named, $inc: { revision: 1 } },
  );
  if (result.modifiedCount !== 1) return undefined;
  return {
    ...leased,
    payout: { ...leased.payout, rail, isFunded: true, revision: revision + 1 },
  };
}

/** Appends calls to a payout and drops the oldest ones above the limit. */
export function keep(calls: readonly StoredCall[]): { $each: StoredCall[]; $slice: number } {
  return { $each: [...calls], $slice: -callsMax };
}

function isRecorded(payout: Payout, progress: Progress, { cause }: Step): boolean {
  if (cause === "resolved") return true;
  if (payout.progress.stage === progress.stage) return false;
  const isWavering = payout.submittedAt !== undefined && wavering.has(progress.stage);
  return !isWavering || payout.revision <= waveringRevisionMax;
}

const wavering: ReadonlySet<Progress["stage"]> = new Set([
  ...["submitting", "processing", "unknown", "cancelling"],
] as const);

/** Builds the history's step with the payout's stage and version after the change. */
export function stepOf(
  { progress, version }: Pick<Payout, "progress" | "version">,
  { at, cause, detail, by }: Pick<Step, "at" | "detail" | "by"> & { cause: HistoryCause },
): StoredStep {
  const reporter = by && { actor: by.actor, operation_id: by.operationId };
  return { stage: progress.stage, version, at, cause, detail, ...reporter };
}

function setWork(work: Step["work"]): UpdateFilter<PayoutDocument>["$set"] {
  if (work === "done") return {};
  return work instanceof Date ? { work_due_at: work } : { "lease.until": work.leasedUntil };
}

function unsetWork(work: Step["work"]): UpdateFilter<PayoutDocument>["$unset"] {
  if (work === "done") return { lease: "", work_due_at: "" };
  return work instanceof Date ? { lease: "" } : {};
}

/** Makes work due now if its due time is too far ahead, which only a wrong clock can cause. */
export async function recallWork(payouts: Payouts, now: Date, deferMaxMs: number): Promise<void> {
  const latest = new Date(now.getTime() + 2 * deferMaxMs);
  // Work on a payout that awaits approval is due when the approval expires.
  const lastDue = { $add: ["$approval.expires_at", 2 * deferMaxMs] };
  await payouts.updateMany(
    {
      work_due_at: { $gt: latest },
      status: "initiated",
      $or: [
        { "progress.stage": { $ne: "awaiting_approval" } },
        { $expr: { $gt: ["$work_due_at", lastDue] } },
      ],
    },
    { $set: { work_due_at: now } },
  );
}

/** A record about a payout that doesn't change its progress. */
export type Annotation = {
  readonly call?: StoredCall;
  readonly exception?: PayoutException;
  /** A new or changed wait for the beneficiary's clearance. Merchants don't see it. */
  readonly uncleared?: { readonly wait: Uncleared; readonly at: Date };
};

/** Ends a lease without a change of state. */
export type Release = Omit<Annotation, "call"> & {
  readonly work: Date | "done";
  readonly calls?: readonly StoredCall[];
};

/**
 * Ends a lease without a change of state. If another worker has leased the payout, its lease and
 * its exception stay. If a concurrent write won, the annotation is lost. The work then stays due,
 * so that the next worker finds the reason of the annotation again.
 */
export async function release(
  payouts: Payouts,
  { payout, leaseToken, calls: earlier }: LeasedPayout,
  { work, calls: latest = [], ...annotation }: Release,
): Promise<undefined> {
  const calls = [...earlier, ...latest];
  const isNoted = await annotate(payouts, payout, annotation);
  await payouts.updateOne(
    { _id: payout.id, "lease.token": leaseToken },
    {
      $set: { ...(isNoted && setWork(work)) },
      $unset: { lease: "", ...(isNoted && unsetWork(work)) },
      $push: { calls: keep(calls) },
    },
  );
}

/**
 * Records an annotation. An exception or a wait requires the revision that was read. Returns
 * `false` if a concurrent write won.
 */
export async function annotate(
  payouts: Payouts,
  payout: Payout,
  { call, exception, uncleared }: Annotation,
): Promise<boolean> {
  const calls = call && { calls: keep([call]) };
  if (exception === undefined && uncleared === undefined) {
    if (calls !== undefined) await payouts.updateOne({ _id: payout.id }, { $push: calls });
    return true;
  }
  const journal = uncleared && { journal: waitStep(payout, uncleared) };
  const result = await payouts.updateOne(
    { _id: payout.id, revision: payout.revision },
    {
      $set: {
        ...(exception && { exception }),
        ...(uncleared && { uncleared: uncleared.wait }),
      },
      $inc: { revision: 1 },
      ...((calls || journal) && { $push: { ...calls, ...journal } }),
    },
  );
  return result.modifiedCount === 1;
}

/** Builds the history's step for a wait. One step is added for each screening status. */
function waitStep(payout: Payout, { wait, at }: NonNullable<Annotation["uncleared"]>): StoredStep {
  const detail = `not sent: the screening status of the beneficiary is ${wait.status}`;
  return stepOf(payout, { at, cause: "uncleared", detail });
}

/**
 * Makes work due now on payouts whose rail has news. This includes ended payouts: a rail may report
 * a contradiction or a charge after the end.
 */
export async function callForWork(
  payouts: Payouts,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await payouts.updateMany({ _id: { $in: [...ids] } }, { $set: { work_due_at: now } });
}
