import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type ExceptionKind, isMoreSevere } from "../../payouts/rules/exception.ts";
import type { Payout } from "../../payouts/rules/payout.ts";
import { applyRailStatus, type Outcome, type Progress } from "../../payouts/rules/progress.ts";

/** What one person did, as which operation, and when. */
export type OperatorAction = {
  readonly person: string;
  readonly operation: string;
  readonly at: Date;
};

export type ResolutionState =
  | { readonly kind: "proposed" }
  /** By a second person: it takes effect, whoever is cut off. */
  | { readonly kind: "confirmed"; readonly by: OperatorAction }
  | { readonly kind: "applied"; readonly by: OperatorAction }
  | { readonly kind: "withdrawn"; readonly by: OperatorAction }
  /** The payout had moved on by itself, before or after somebody confirmed. */
  | { readonly kind: "superseded"; readonly by?: OperatorAction };

/** What became of a payout in doubt, as one person tells it and another confirms. */
export type Resolution = {
  readonly id: string;
  readonly payoutId: string;
  readonly outcome: Outcome;
  /** What it was learned from. */
  readonly reason: string;
  /** Why the payout was in doubt when it was proposed. */
  readonly doubt: ExceptionKind;
  readonly proposed: OperatorAction;
  readonly state: ResolutionState;
  readonly updatedAt: Date;
};

/** What a resolution does to a payout: it moves, or stands as it is and is in doubt no more. */
export type Resolved =
  | { readonly kind: "moves"; readonly to: Progress }
  | { readonly kind: "stands" };

/**
 * Where the word of people takes a payout in doubt: where the rail's would, and one that no rail
 * was ever given can be rejected. The present outcome can be told again, which ends a contradiction
 * and nothing else.
 */
export function effectOfOutcome(
  { progress, doubt }: Pick<Payout, "progress" | "doubt">,
  outcome: Outcome,
): Resolved | Refused<"INVALID_REQUEST"> {
  if (doubt === undefined) return refused("INVALID_REQUEST", "payout_id: is not in doubt");
  if (progress.stage === "queued" && outcome.kind === "rejected") {
    return { kind: "moves", to: { stage: "concluding", outcome } };
  }
  const next = applyRailStatus(progress, outcome);
  if (isRefused(next)) return next;
  if (next !== "unchanged") return { kind: "moves", to: next };
  return isPresent(progress, outcome)
    ? { kind: "stands" }
    : refused("INVALID_REQUEST", "outcome: is neither the payout's own nor one that it can have");
}

/** Whether an outcome is the one that a payout has, its reference included. */
function isPresent(progress: Progress, outcome: Outcome): boolean {
  switch (progress.stage) {
    case "concluding": {
      const decided = progress.outcome;
      if (decided.kind === "rejected") return outcome.kind === "rejected";
      if (decided.returned === true) return outcome.kind === "returned";
      return outcome.kind === "settled" && outcome.reference === decided.reference;
    }
    case "settled":
      return outcome.kind === "settled" && outcome.reference === progress.reference;
    case "rejected":
      return outcome.kind === "rejected";
    case "returning":
    case "returned":
      return outcome.kind === "returned";
    default:
      return false;
  }
}

/**
 * What a proposal does to its payout as that is now; refused when the payout has moved on by
 * itself: its doubt is over, is a graver one than the proposer knew, or allows the outcome no more.
 */
export function effectOf(
  { outcome, doubt }: Pick<Resolution, "outcome" | "doubt">,
  payout: Pick<Payout, "progress" | "doubt">,
): Resolved | Refused<"INVALID_REQUEST"> {
  const effect = effectOfOutcome(payout, outcome);
  const isMoreSevereNow = payout.doubt !== undefined && isMoreSevere(payout.doubt.kind, doubt);
  return isRefused(effect) || isMoreSevereNow ? supersededRefusal : effect;
}

/** What a resolution that came too late is refused with. */
export const supersededRefusal = refused(
  "INVALID_REQUEST",
  "resolution_id: the payout has moved on since",
);

/** The second person's word; `repeated` when this operation gave it before. */
export function confirm(
  resolution: Resolution,
  by: OperatorAction,
): Resolution | "repeated" | Refused<"ACCESS_FORBIDDEN" | "INVALID_REQUEST"> {
  const { state, proposed } = resolution;
  if (isSamePerson(proposed, by)) {
    return refused("ACCESS_FORBIDDEN", "mutation.actor: must not be the one who proposed it");
  }
  switch (state.kind) {
    case "proposed":
      return { ...resolution, state: { kind: "confirmed", by }, updatedAt: by.at };
    case "confirmed":
    case "applied":
      return isRepeat(state.by, by) ? "repeated" : isConfirmed;
    case "withdrawn":
      return isWithdrawn;
    case "superseded":
      return supersededRefusal;
  }
}

/** Takes a proposal back; `repeated` when this operation did so before. */
export function withdraw(
  resolution: Resolution,
  by: OperatorAction,
): Resolution | "repeated" | Refused<"INVALID_REQUEST"> {
  const { state } = resolution;
  switch (state.kind) {
    case "proposed":
      return { ...resolution, state: { kind: "withdrawn", by }, updatedAt: by.at };
    case "confirmed":
    case "applied":
      return isConfirmed;
    case "withdrawn":
      return isRepeat(state.by, by) ? "repeated" : isWithdrawn;
    case "superseded":
      return supersededRefusal;
  }
}

const isConfirmed = refused("INVALID_REQUEST", "resolution_id: is confirmed already");
const isWithdrawn = refused("INVALID_REQUEST", "resolution_id: is withdrawn");

/** A resolution whose fate is decided: it had its effect, or the payout had moved on. */
export function concluded(
  resolution: Resolution,
  fate: "applied" | "superseded",
  at: Date,
): Resolution {
  const { state } = resolution;
  if (fate === "superseded") {
    const confirmation = state.kind === "confirmed" ? { by: state.by } : {};
    return { ...resolution, state: { kind: fate, ...confirmation }, updatedAt: at };
  }
  if (state.kind !== "confirmed") throw new Error(`${state.kind} resolutions have no effect`);
  return { ...resolution, state: { kind: fate, by: state.by }, updatedAt: at };
}

/** The names of one person may be written in capitals here and not there. */
function isSamePerson(one: OperatorAction, other: OperatorAction): boolean {
  return one.person.toLowerCase() === other.person.toLowerCase();
}

function isRepeat(first: OperatorAction, again: OperatorAction): boolean {
  return first.person === again.person && first.operation === again.operation;
}

/** An outcome for people: `settled R-1`. */
export function outcomeText(outcome: Outcome): string {
  const reference = "reference" in outcome ? outcome.reference : undefined;
  return reference === undefined ? outcome.kind : `${outcome.kind} ${reference}`;
}
