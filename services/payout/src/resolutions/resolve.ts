import { newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AuditAction, AuditRecord, AuditStore } from "../payouts/audit.ts";
import type { Decision } from "../payouts/exceptions.ts";
import type { Outcome } from "../payouts/rules/progress.ts";
import type { PayoutStore } from "../payouts/store.ts";
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

export type ResolutionDeps = {
  readonly payouts: PayoutStore;
  readonly resolutions: ResolutionStore;
  readonly audit: AuditStore;
  readonly clock: Clock;
  /** Called when there is a payout to move on. */
  readonly wake: () => void;
};

/** Who asks, and as which operation. */
type By = Pick<OperatorAction, "person" | "operation">;

/** What one person says became of a payout, and what it was learned from. */
export type Proposal = {
  readonly payoutId: string;
  readonly outcome: Outcome;
  readonly reason: string;
};

type Answer<R extends string = never> = Resolution | Refused<R | "RECORD_NOT_FOUND" | Invalid>;
type Invalid = "INVALID_REQUEST";

/** One person's word on a payout in doubt: kept, and nothing else. */
export async function proposeResolution(
  deps: ResolutionDeps,
  { payoutId, outcome, reason }: Proposal,
  by: By,
): Promise<Answer> {
  const { payouts, resolutions, clock } = deps;
  const first = await resolutions.findByOperation(by.operation);
  if (first !== undefined) return repeated(deps, first, payoutId);
  const payout = await payouts.findPayout(payoutId);
  if (payout === undefined) return refused("RECORD_NOT_FOUND");
  const effect = effectOfOutcome(payout, outcome);
  if (isRefused(effect)) return effect;
  if (payout.doubt === undefined) throw new Error("a payout that is not in doubt was resolved");
  const at = clock.now();
  const resolution: Resolution = {
    id: newId("resolution", at),
    ...{ payoutId, outcome, reason, doubt: payout.doubt.kind },
    proposed: { ...by, at },
    state: { kind: "proposed" },
    updatedAt: at,
  };
  const owed = auditRecord("resolution.proposed", resolution, resolution.proposed);
  if (await resolutions.insert(resolution, owed)) {
    await record(deps, { ...resolution, owed: [owed] });
    return resolution;
  }
  const other = await resolutions.findByOperation(by.operation);
  if (other !== undefined) return repeated(deps, other, payoutId);
  return refused("INVALID_REQUEST", "payout_id: has an open resolution already");
}

async function repeated(
  deps: ResolutionDeps,
  first: StoredResolution,
  payoutId: string,
): Promise<Answer> {
  if (first.payoutId !== payoutId) {
    return refused("INVALID_REQUEST", "mutation.operation_id: proposed for another payout");
  }
  await record(deps, first);
  return first;
}

/** The second person's word: kept, in the audit trail, and then applied to the payout. */
export async function confirmResolution(
  deps: ResolutionDeps,
  id: string,
  by: By,
): Promise<Answer<"ACCESS_FORBIDDEN">> {
  const { payouts, resolutions, clock } = deps;
  for (;;) {
    const found = await resolutions.read(id);
    if (found === undefined) return refused("RECORD_NOT_FOUND");
    const act = { ...by, at: clock.now() };
    const confirmed = confirm(found, act);
    if (isRefused(confirmed)) return confirmed;
    if (confirmed === "repeated") return effective(await finishResolution(deps, found));
    const payout = await payouts.findPayout(found.payoutId);
    if (payout === undefined || isRefused(effectOf(found, payout))) {
      // Unless this very confirmation took effect meanwhile, by another try of it.
      if (await resolutions.change(found, concluded(found, "superseded", act.at)))
        return supersededRefusal;
      continue;
    }
    const owed = auditRecord("resolution.confirmed", confirmed, act);
    if (await resolutions.change(found, confirmed, owed)) {
      const owing = { ...confirmed, owed: [...found.owed, owed] };
      return effective(await finishResolution(deps, owing));
    }
  }
}

function effective(resolution: Resolution): Resolution | typeof supersededRefusal {
  return resolution.state.kind === "superseded" ? supersededRefusal : resolution;
}

/** Takes a proposal back that nobody has confirmed. */
export async function withdrawResolution(
  deps: ResolutionDeps,
  id: string,
  by: By,
): Promise<Answer> {
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
    const owed = auditRecord("resolution.withdrawn", withdrawn, act);
    if (await resolutions.change(found, withdrawn, owed)) {
      await record(deps, { ...withdrawn, owed: [...found.owed, owed] });
      return withdrawn;
    }
  }
}

/**
 * Takes a resolution to its end: the audit trail first, then the payout, then its own state. Each
 * is one write that finds what was done before, so anybody can go on from wherever it was left.
 */
export async function finishResolution(
  deps: ResolutionDeps,
  resolution: StoredResolution,
): Promise<Resolution> {
  await record(deps, resolution);
  switch (resolution.state.kind) {
    case "proposed": {
      const payout = await deps.payouts.findPayout(resolution.payoutId);
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
 * What becomes of a confirmed resolution: the payout's document decides, once. `undefined`: not
 * yet, because money would be given back while a worker may be sending it.
 */
async function decideFate(
  { payouts, clock, wake }: ResolutionDeps,
  resolution: Resolution,
): Promise<"applied" | "superseded" | undefined> {
  for (;;) {
    const { payoutId, id, outcome } = resolution;
    const found = await payouts.resolvable(payoutId, id, clock.now());
    if (found === undefined) throw new Error("a resolution without its payout");
    if (found.fate !== undefined) return found.fate;
    if (found.isBeingSent && outcome.kind === "rejected") return undefined;
    const effect = effectOf(resolution, found.payout);
    const decision: Decision = isRefused(effect)
      ? { kind: "superseded" }
      : { ...effect, step: stepFor(resolution, clock.now()) };
    if (await payouts.decide(found.payout, resolution.id, decision)) wake();
  }
}

/** The journal names both persons; the step is the confirming one's. */
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
  if (await resolutions.change(resolution, ended)) return ended;
  return (await resolutions.read(resolution.id)) ?? ended;
}

/** Puts into the audit trail what it does not have of a resolution yet. */
async function record({ audit, resolutions }: ResolutionDeps, { id, owed }: StoredResolution) {
  for (const each of owed) {
    await audit.append(each);
    await resolutions.recorded(id, each);
  }
}

function auditRecord(action: AuditAction, resolution: Resolution, by: OperatorAction): AuditRecord {
  const { id: subject, payoutId, outcome, reason } = resolution;
  const detail = `${payoutId}: ${outcomeText(outcome)}; ${reason}`;
  return { ...{ action, subject, detail }, ...by };
}
