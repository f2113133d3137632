import type { Log } from "@disburse/chassis/log.ts";
import { newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Payouts } from "../payouts/document.ts";
import { type Decision, decide, readResolvable } from "../payouts/exceptions.ts";
import type { AuditAction, AuditRecord, AuditStore } from "../payouts/operators.ts";
import type { Outcome } from "../payouts/rules/progress.ts";
import { findPayout } from "../payouts/store.ts";
import {
  concluded,
  confirm,
  effectOf,
  effectOfOutcome,
  type OperatorAction,
  outcomeText,
  type Resolution,
  supersededRefusal,
  withdraw,
} from "./rules/resolution.ts";
import type { ResolutionStore, StoredResolution } from "./store.ts";

/** What resolving works with. */
export type ResolutionDeps = {
  readonly payouts: Payouts;
  readonly resolutions: ResolutionStore;
  readonly audit: AuditStore;
  /** Answers whether a rail will never pay a key, and sees to that where it still can. */
  readonly rails: { readonly withdraw: (rail: string, key: string) => Promise<boolean> };
  readonly clock: Clock;
  /** Called when there is work on a payout. */
  readonly wake: () => void;
};

/** The operator and the operation of a request. */
type By = Pick<OperatorAction, "person" | "operation">;

/** A proposed outcome with its evidence. */
export type Proposal = {
  readonly payoutId: string;
  readonly outcome: Outcome;
  readonly reason: string;
};

type Answer<R extends string = never> = Resolution | Refused<R | "RECORD_NOT_FOUND" | Invalid>;
type Invalid = "INVALID_REQUEST";

/** Stores the proposal of one operator; the payout does not change. */
export async function proposeResolution(
  deps: ResolutionDeps,
  { payoutId, outcome, reason }: Proposal,
  by: By,
): Promise<Answer> {
  const { payouts, resolutions, clock } = deps;
  const first = await resolutions.findByOperation(by.operation);
  if (first !== undefined) return repeated(deps, first, payoutId);
  const payout = await findPayout(payouts, payoutId);
  if (payout === undefined) return refused("RECORD_NOT_FOUND");
  const effect = effectOfOutcome(payout, outcome);
  if (isRefused(effect)) return effect;
  if (payout.exception === undefined) throw new Error("a payout without an exception was resolved");
  const at = clock.now();
  const resolution: Resolution = {
    id: newId("resolution", at),
    payoutId,
    outcome,
    reason,
    exception: payout.exception.kind,
    proposed: { ...by, at },
    state: { kind: "proposed" },
    updatedAt: at,
  };
  const pending = auditRecord("resolution.proposed", resolution, resolution.proposed);
  if (await resolutions.insert(resolution, pending)) {
    await record(deps, { ...resolution, pending: [pending] });
    return resolution;
  }
  const other = await resolutions.findByOperation(by.operation);
  if (other !== undefined) return repeated(deps, other, payoutId);
  return refused("INVALID_REQUEST", "payout_id: has an open resolution already");
}

async function repeated(deps: ResolutionDeps, first: StoredResolution, payoutId: string) {
  if (first.payoutId !== payoutId) {
    return refused("INVALID_REQUEST", "mutation.operation_id: proposed for another payout");
  }
  await record(deps, first);
  return first;
}

/** Stores the confirmation by a second operator, records it in the audit trail and applies it. */
export async function confirmResolution(deps: ResolutionDeps, id: string, by: By) {
  const { payouts, resolutions, clock } = deps;
  for (;;) {
    const found = await resolutions.read(id);
    if (found === undefined) return refused("RECORD_NOT_FOUND");
    const act = { ...by, at: clock.now() };
    const confirmed = confirm(found, act);
    if (isRefused(confirmed)) return confirmed;
    if (confirmed === "repeated") return effective(await finishResolution(deps, found));
    const payout = await findPayout(payouts, found.payoutId);
    if (payout === undefined || isRefused(effectOf(found, payout))) {
      // The next round finds it superseded, or that another try of this confirmation took effect.
      await resolutions.change(found, concluded(found, "superseded", act.at));
      continue;
    }
    const entry = auditRecord("resolution.confirmed", confirmed, act);
    if (await resolutions.change(found, confirmed, entry)) {
      const pending = [...found.pending, entry];
      return effective(await finishResolution(deps, { ...confirmed, pending }));
    }
  }
}

function effective(resolution: Resolution): Resolution | typeof supersededRefusal {
  return resolution.state.kind === "superseded" ? supersededRefusal : resolution;
}

/** Withdraws a proposal that is not confirmed. */
export async function withdrawResolution(deps: ResolutionDeps, id: string, by: By) {
  const { resolutions, clock } = deps;
  for (;;) {
    const found = await resolutions.read(id);
    if (found === undefined) return refused("RECORD_NOT_FOUND");
    const act = { ...by, at: clock.now() };
    const withdrawn = withdraw(found, act);
    if (isRefused(withdrawn)) return withdrawn;
    if (withdrawn === "repeated") {
      await record(deps, found);
      return found;
    }
    const entry = auditRecord("resolution.withdrawn", withdrawn, act);
    if (await resolutions.change(found, withdrawn, entry)) {
      await record(deps, { ...withdrawn, pending: [...found.pending, entry] });
      return withdrawn;
    }
  }
}

/** Completes a resolution in idempotent writes: the audit trail, the payout, its own state. */
export async function finishResolution(deps: ResolutionDeps, resolution: StoredResolution) {
  await record(deps, resolution);
  switch (resolution.state.kind) {
    case "proposed": {
      const payout = await findPayout(deps.payouts, resolution.payoutId);
      const isOver = payout === undefined || isRefused(effectOf(resolution, payout));
      return isOver ? conclude(deps, resolution, "superseded") : resolution;
    }
    case "confirmed": {
      const fate = await decideFate(deps, resolution);
      return fate === undefined ? resolution : conclude(deps, resolution, fate);
    }
    default:
      return resolution;
  }
}

/**
 * Decides the effect of a confirmed resolution, once, in the payout's document. `undefined`: not
 * yet, because a worker may be submitting the payout whose money would be released.
 */
async function decideFate({ payouts, rails, clock, wake }: ResolutionDeps, resolution: Resolution) {
  for (;;) {
    const { payoutId, id, outcome } = resolution;
    const found = await readResolvable(payouts, payoutId, id, clock.now());
    if (found === undefined) throw new Error("a resolution without its payout");
    if (found.fate !== undefined) return found.fate;
    if (found.isBeingSent && outcome.kind === "rejected") return undefined;
    const effect = effectOf(resolution, found.payout);
    // The rail first: from then on it never pays what is given back, or was paid another way.
    const moves = !isRefused(effect) && effect.kind === "moves";
    const isWithdrawn = !moves || (await rails.withdraw(found.payout.rail, payoutId));
    const mayBePaid = outcome.kind === "rejected" && !isWithdrawn;
    const decision: Decision =
      isRefused(effect) || mayBePaid
        ? { kind: "superseded" }
        : { ...effect, step: stepFor(resolution, clock.now()) };
    if (await decide(payouts, found.payout, resolution.id, decision)) wake();
  }
}

/** The step in the history names both operators; its actor is the confirming one. */
function stepFor({ id, outcome, proposed, state, reason }: Resolution, at: Date) {
  if (state.kind !== "confirmed") throw new Error(`${state.kind} resolutions have no effect`);
  const persons = `proposed by ${proposed.person}, confirmed by ${state.by.person}`;
  const actor = { kind: "operator", id: state.by.person } as const;
  const detail = `resolved as ${outcomeText(outcome)}, ${persons}: ${reason}`;
  return { at, detail, by: { actor, operationId: id } };
}

async function conclude(
  { resolutions, clock }: ResolutionDeps,
  resolution: Resolution,
  fate: "applied" | "superseded",
): Promise<Resolution> {
  const ended = concluded(resolution, fate, clock.now());
  await resolutions.change(resolution, ended);
  return (await resolutions.read(resolution.id)) ?? ended;
}

/** Appends the pending entries of a resolution to the audit trail. */
async function record({ audit, resolutions }: ResolutionDeps, { id, pending }: StoredResolution) {
  for (const each of pending) {
    await audit.append(each);
    await resolutions.recorded(id, each);
  }
}

function auditRecord(action: AuditAction, resolution: Resolution, by: OperatorAction): AuditRecord {
  const { id: subject, payoutId, outcome, reason } = resolution;
  const detail = `${payoutId}: ${outcomeText(outcome)}; ${reason}`;
  return { action, subject, detail, ...by };
}

/** Completes what a crash left; safe beside requests and other sweeps. */
export async function sweepResolutions(deps: ResolutionDeps & { readonly log: Log }) {
  for (const resolution of await deps.resolutions.unfinished()) {
    try {
      await finishResolution(deps, resolution);
    } catch (error) {
      deps.log.error({ err: error, resolution_id: resolution.id }, "resolution not finished");
    }
  }
}
