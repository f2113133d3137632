import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type ExceptionKind, isMoreSevere } from "../../payouts/rules/exception.ts";
import type { Payout } from "../../payouts/rules/payout.ts";
import { applyRailStatus, type Outcome, type Progress } from "../../payouts/rules/progress.ts";

/** What an operator did, as which operation, and when. */
export type OperatorAction = {
  readonly person: string;
  readonly operation: string;
  readonly at: Date;
};

/** The state of a resolution. */
export type ResolutionState =
  | { readonly kind: "proposed" }
  /** By a second operator: it will take effect, also after a crash. */
  | { readonly kind: "confirmed"; readonly by: OperatorAction }
  | { readonly kind: "applied"; readonly by: OperatorAction }
  | { readonly kind: "withdrawn"; readonly by: OperatorAction }
  /** The payout had changed by itself, before or after the confirmation. */
  | { readonly kind: "superseded"; readonly by?: OperatorAction };

/** The outcome of a payout with an exception: one operator proposes it, another confirms it. */
export type Resolution = {
  readonly id: string;
  readonly payoutId: string;
  readonly outcome: Outcome;
  /** The evidence for the outcome. */
  readonly reason: string;
  /** The exception that the proposer knew. */
  readonly exception: ExceptionKind;
  readonly proposed: OperatorAction;
  readonly state: ResolutionState;
  readonly updatedAt: Date;
};

/** The effect on a payout: it moves, or its exception ends and nothing else changes. */
export type Resolved =
  | { readonly kind: "moves"; readonly to: Progress }
  | { readonly kind: "stands" };

/**
 * The effect of a resolved outcome: that of a rail's report; a payout that was never submitted can
 * be rejected. An outcome that equals the present one ends a contradiction and nothing else.
 */
export function effectOfOutcome(
  { progress, exception }: Pick<Payout, "progress" | "exception">,
  outcome: Outcome,
): Resolved | Refused<"INVALID_REQUEST"> {
  if (exception === undefined) return refused("INVALID_REQUEST", "payout_id: is not in doubt");
  if (unsent.has(progress.stage) && outcome.kind === "rejected") {
    return { kind: "moves", to: { stage: "concluding", outcome } };
  }
  const next = applyRailStatus(progress, outcome);
  if (isRefused(next)) return next;
  if (next !== "unchanged") return { kind: "moves", to: next };
  return isPresent(progress, outcome)
    ? { kind: "stands" }
    : refused("INVALID_REQUEST", "outcome: is neither the payout's own nor one that it can have");
}

const unsent: ReadonlySet<Progress["stage"]> = new Set([
  ...(["awaiting_approval", "queued", "awaiting_funds"] as const),
]);

/** Whether an outcome is the one that a payout has, its reference included. */
function isPresent(progress: Progress, outcome: Outcome): boolean {
  switch (progress.stage) {
    case "concluding": {
      const decided = progress.outcome;
      if (decided.kind !== "settled") return outcome.kind === "rejected";
      if (decided.returned === true) return outcome.kind === "returned";
      return outcome.kind === "settled" && outcome.reference === decided.reference;
    }
    case "settled":
      return outcome.kind === "settled" && outcome.reference === progress.reference;
    case "rejected":
    case "cancelled":
      return outcome.kind === "rejected";
    case "returning":
    case "returned":
      return outcome.kind === "returned";
    default:
      return false;
  }
}

/**
 * The effect of a proposal on its payout as it is now; refused where the payout has changed by
 * itself: its exception ended or is more severe than the proposer knew, or the outcome is not
 * possible any more.
 */
export function effectOf(
  { outcome, exception }: Pick<Resolution, "outcome" | "exception">,
  payout: Pick<Payout, "progress" | "exception">,
): Resolved | Refused<"INVALID_REQUEST"> {
  const effect = effectOfOutcome(payout, outcome);
  const isMoreSevereNow =
    payout.exception !== undefined && isMoreSevere(payout.exception.kind, exception);
  return isRefused(effect) || isMoreSevereNow ? supersededRefusal : effect;
}

/** The refusal of a resolution that came too late. */
export const supersededRefusal = refused(
  "INVALID_REQUEST",
  "resolution_id: the payout has moved on since",
);

/** Confirms a proposal; `repeated` where this operation has confirmed it. */
export function confirm(
  resolution: Resolution,
  by: OperatorAction,
): Resolution | "repeated" | Refused<"ACCESS_FORBIDDEN" | "INVALID_REQUEST"> {
  const { state, proposed } = resolution;
  if (isSamePerson(proposed, by)) {
    return refused("ACCESS_FORBIDDEN", "caller: must not be the one who proposed it");
  }
  if (state.kind === "proposed") {
    return { ...resolution, state: { kind: "confirmed", by }, updatedAt: by.at };
  }
  const isApproved = state.kind === "confirmed" || state.kind === "applied";
  return isApproved && isRepeat(state.by, by) ? "repeated" : closedRefusal(state.kind);
}

/** Withdraws a proposal; `repeated` where this operation has withdrawn it. */
export function withdraw(
  resolution: Resolution,
  by: OperatorAction,
): Resolution | "repeated" | Refused<"INVALID_REQUEST"> {
  const { state } = resolution;
  if (state.kind === "proposed") {
    return { ...resolution, state: { kind: "withdrawn", by }, updatedAt: by.at };
  }
  const isRepeated = state.kind === "withdrawn" && isRepeat(state.by, by);
  return isRepeated ? "repeated" : closedRefusal(state.kind);
}

/** The refusal of a change to a resolution that is not a proposal any more. */
function closedRefusal(kind: Exclude<ResolutionState["kind"], "proposed">) {
  if (kind === "superseded") return supersededRefusal;
  const state = kind === "withdrawn" ? "is withdrawn" : "is confirmed already";
  return refused("INVALID_REQUEST", `resolution_id: ${state}`);
}

/** A resolution at its end: applied, or superseded because the payout had changed. */
export function concluded(resolution: Resolution, kind: "applied" | "superseded", at: Date) {
  const { state } = resolution;
  if (state.kind === "confirmed") {
    return { ...resolution, state: { kind, by: state.by }, updatedAt: at };
  }
  if (kind === "applied") throw new Error(`${state.kind} resolutions have no effect`);
  return { ...resolution, state: { kind }, updatedAt: at };
}

/** Operators are the same where their ids differ in case only. */
function isSamePerson(one: OperatorAction, other: OperatorAction): boolean {
  return one.person.toLowerCase() === other.person.toLowerCase();
}

function isRepeat(first: OperatorAction, again: OperatorAction): boolean {
  return first.person === again.person && first.operation === again.operation;
}

/** An outcome for operators: `settled R-1`. */
export function outcomeText(outcome: Outcome): string {
  const reference = "reference" in outcome ? outcome.reference : undefined;
  return reference === undefined ? outcome.kind : `${outcome.kind} ${reference}`;
}
