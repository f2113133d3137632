import { supersededRefusal } from "@disburse/chassis/approvals/answers.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Outcome } from "@disburse/rail/report.ts";
import type { Payouts } from "../payouts/document.ts";
import { type Decision, decide, readResolvable } from "../payouts/exceptions.ts";
import type { AuditStore } from "../payouts/operators.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { payoutMessage } from "../payouts/wire.ts";
import { effectOfOutcome, outcomeText, type Resolved } from "./rules/resolution.ts";

export type ResolutionDeps = {
  readonly payouts: Payouts;
  readonly audit: AuditStore;
  /**
   * Asks a rail to withdraw the transfer with a key. Returns true if the rail will never pay it.
   */
  readonly rails: { readonly withdraw: (rail: string, key: string) => Promise<boolean> };
  readonly clock: Clock;
  /** Wakes the worker, because a payout is due. */
  readonly wake: () => void;
};

/** An outcome that an operator sets for a payout with an exception, with the reason. */
export type Resolution = {
  readonly payoutId: string;
  readonly outcome: Outcome;
  readonly reason: string;
  /** The operator and the operation. An operation resolves a payout only once. */
  readonly by: { readonly person: string; readonly operation: string };
};

/**
 * The operator who approves. `before` is the description of the payout that this operator has read
 * (`describePayout`).
 */
export type SecondPerson = { readonly person: string; readonly before: string };

type ResolveResult = Payout | Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST" | Later>;
type Later = "ACCESS_FORBIDDEN" | "SERVICE_UNAVAILABLE";

const beingSent = refused(
  "SERVICE_UNAVAILABLE",
  "The payout is being sent. The rejection takes effect afterwards, unless the rail reports another outcome.",
);
const aloneRefusal = refused(
  "ACCESS_FORBIDDEN",
  "caller: another person must approve the resolution",
);

/**
 * Describes a payout for the operator who approves its resolution. The resolution only applies
 * while this description is unchanged.
 */
export function describePayout(payout: Payout): string {
  const { merchantId, sourceAmount, sourceCurrencyCode } = payoutMessage(payout);
  return JSON.stringify({
    payoutId: payout.id,
    merchantId,
    amount: `${sourceAmount} ${sourceCurrencyCode}`,
    rail: payout.rail,
    stage: payout.progress.stage,
    exception: payout.exception?.kind,
  });
}

/**
 * Applies an approved resolution once. The payout's document stores whether it was applied or
 * superseded, and a repeat returns that result. A rejection must wait while a worker may be
 * submitting the payout.
 */
export async function resolvePayout(
  deps: ResolutionDeps,
  resolution: Resolution,
  second: SecondPerson | undefined,
): Promise<ResolveResult> {
  const { payouts, audit, rails, clock, wake } = deps;
  const { payoutId, outcome, by } = resolution;
  for (;;) {
    const found = await readResolvable(payouts, payoutId, by.operation, clock.now());
    if (found === undefined) return refused("RECORD_NOT_FOUND");
    const { payout, decided, isBeingSent } = found;
    if (decided !== undefined) return decided === "applied" ? payout : supersededRefusal;
    const effect = effectOfOutcome(payout, outcome);
    if (second === undefined) return isRefused(effect) ? effect : aloneRefusal;
    const isAsRead = describePayout(payout) === second.before;
    let decision: Decision = { kind: "superseded" };
    if (isAsRead && !isRefused(effect)) {
      if (isBeingSent && outcome.kind === "rejected") return beingSent;
      const isTaken = await isTakenBack(rails, payout, effect);
      if (isTaken || outcome.kind !== "rejected") {
        const at = clock.now();
        const detail = `${outcomeText(outcome)}, approved by ${second.person}: ${resolution.reason}`;
        await audit.append({ action: "payout.resolved", subject: payoutId, detail, at, ...by });
        decision = { ...effect, step: stepOf(resolution, second, at) };
      }
    }
    if (await decide(payouts, payout, by.operation, decision)) wake();
  }
}

/**
 * Asks the rail to withdraw the transfer. Afterwards the rail can't pay money that is released here
 * or was paid in another way.
 */
async function isTakenBack(
  rails: ResolutionDeps["rails"],
  { id, rail }: Payout,
  { kind }: Resolved,
): Promise<boolean> {
  return kind !== "moves" || rails.withdraw(rail, id);
}

/**
 * Builds the step in the history. Its detail names both operators, and its actor is the approver.
 */
function stepOf({ outcome, reason, by }: Resolution, second: SecondPerson, at: Date) {
  const persons = `proposed by ${by.person}, approved by ${second.person}`;
  const actor = { kind: "operator", id: second.person } as const;
  const detail = `resolved as ${outcomeText(outcome)}, ${persons}: ${reason}`;
  return { at, detail, by: { actor, operationId: by.operation } };
}
