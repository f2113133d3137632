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

/** A payout with the right to work on it until the lease expires. */
export type LeasedPayout = {
  readonly payout: Payout;
  readonly leaseToken: string;
  /** When the lease expires. */
  readonly until: Date;
  /** The request that made the payout, where it is known. */
  readonly origin: Origin;
  /** Calls to its rail that are stored with its next write. */
  readonly calls: readonly StoredCall[];
};

/** What a change of a payout's progress is written with. */
export type Step = {
  readonly cause: StepCause;
  /** For the history: `rail said accepted`, `post applied`. */
  readonly detail: string;
  readonly at: Date;
  /** Who reported or decided an outcome, and as which operation or resolution. */
  readonly by?: Change;
  /** The lease is renewed; or it ends, and work is due at a time, or is done. */
  readonly work: { readonly leasedUntil: Date } | Date | "done";
  /** The rail that the payout is submitted to next, under its id. */
  readonly submitTo?: string;
  /** When that rail will have paid it, as a rule. */
  readonly expectedAt?: Date | undefined;
  /** Messages between payout and rail, for the history. */
  readonly calls?: readonly StoredCall[];
  /** The resolution that takes effect with this step. */
  readonly resolves?: string;
  /** The decision on its approval that takes effect with this step. */
  readonly decides?: Decision;
};

/** A decision on an approval; `inTime`: it counts before the approval expires alone. */
export type Decision = {
  readonly decision: ApprovalDecision;
  readonly inTime: boolean;
};

/** By the clock of the payout's database, as the end of a quote is. */
const beforeExpiry = { $expr: { $lt: ["$$NOW", "$approval.expires_at"] } };

/** The last calls that a payout keeps, leases and answers included. */
const callsMax = 60;

/**
 * After this revision only outcomes and the first submission are recorded: a wavering rail must not
 * grow the document.
 */
const waveringRevisionMax = 2_000;

/** Ends the leases of the killed process that ran here; were it alive, it would change nothing. */
export async function freeLeases(payouts: Payouts, place: string): Promise<void> {
  const open = { work_due_at: { $gt: new Date(0) }, "lease.place": place };
  await payouts.updateMany(open, { $unset: { lease: "" } });
}

/** A payout after a step, with the event of its status, where that changed. */
export type Advanced = { readonly payout: Payout; readonly event?: PendingEvent };

/**
 * Advances a payout in one write, guarded by the revision that was read; `undefined`: a concurrent
 * write won. A change of status raises the version and adds its event in the same write.
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
        ...(exception && { doubt: exception }),
        ...(decides && { "approval.decision": toStored(decides.decision) }),
        ...setWork(work),
      },
      $unset: { ...unsetWork(work), ...(exception === undefined && { doubt: "" }), uncleared: "" },
      $push: {
        ...(isRecorded(payout, progress, step) && { journal: stepOf(changed, step) }),
        calls: keep(calls),
        ...(resolves !== undefined && { resolutions: { id: resolves, fate: "applied" } }),
        ...(event && { outbox: event }),
      },
    },
  );
  if (result.modifiedCount !== 1) return undefined;
  return { payout: changed, ...(event && { event }) };
}

/**
 * Names the rail whose account a payout is paid from, before money is held there: what ends the
 * payout then knows where to look. `undefined`: a concurrent write won.
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

/** Adds to a payout's last calls. */
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

/** A step as the history keeps it, with the payout's stage and version after it. */
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

/** Makes work due now that a wrong clock deferred for longer than a rail worker may. */
export async function recallWork(payouts: Payouts, now: Date, deferMaxMs: number): Promise<void> {
  const latest = new Date(now.getTime() + 2 * deferMaxMs);
  // What waits for approval is due when that expires.
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

/** What is recorded of a payout without a change of its state. */
export type Annotation = {
  readonly call?: StoredCall;
  /** An exception that is raised. */
  readonly exception?: PayoutException;
  /** A wait for its beneficiary's clearance that begins or changes; not shown to merchants. */
  readonly uncleared?: { readonly wait: Uncleared; readonly at: Date };
};

/** How a lease ends without a change of state. */
export type Release = Omit<Annotation, "call"> & {
  readonly work: Date | "done";
  readonly calls?: readonly StoredCall[];
};

/** Ends a lease without a change of state; another worker's lease or exception stays. */
export async function release(
  payouts: Payouts,
  { payout, leaseToken, calls: earlier }: LeasedPayout,
  { work, calls: latest = [], ...annotation }: Release,
): Promise<undefined> {
  const calls = [...earlier, ...latest];
  await annotate(payouts, payout, annotation);
  await payouts.updateOne(
    { _id: payout.id, "lease.token": leaseToken },
    {
      $set: { ...setWork(work) },
      $unset: unsetWork(work) ?? {},
      $push: { calls: keep(calls) },
    },
  );
}

/** Records an annotation; where the revision guards it, `false`: a concurrent write won. */
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
        ...(exception && { doubt: exception }),
        ...(uncleared && { uncleared: uncleared.wait }),
      },
      $inc: { revision: 1 },
      ...((calls || journal) && { $push: { ...calls, ...journal } }),
    },
  );
  return result.modifiedCount === 1;
}

/** A wait as the history keeps it: once for each screening status of its beneficiary. */
function waitStep(payout: Payout, { wait, at }: NonNullable<Annotation["uncleared"]>): StoredStep {
  const detail = `not sent: the screening of its beneficiary is ${wait.status}`;
  return stepOf(payout, { at, cause: "uncleared", detail });
}

/**
 * Makes work due now on payouts whose rail has news of them. Answers with those that never ask
 * their rail again: they have failed, or came back.
 */
export async function callForWork(
  payouts: Payouts,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  const among = { _id: { $in: [...ids] } };
  await payouts.updateMany({ ...among, status: { $ne: "failed" } }, { $set: { work_due_at: now } });
  const over = payouts.find({ ...among, status: "failed" }).project<{ _id: string }>({ _id: 1 });
  return (await over.toArray()).map(({ _id }) => _id);
}
