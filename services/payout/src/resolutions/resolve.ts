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

/** What resolving works with. */
export type ResolutionDeps = {
  readonly payouts: Payouts;
  readonly audit: AuditStore;
  /** Answers whether a rail will never pay a key, and sees to that where it still can. */
  readonly rails: { readonly withdraw: (rail: string, key: string) => Promise<boolean> };
  readonly clock: Clock;
  /** Called when there is work on a payout. */
  readonly wake: () => void;
};

/** The outcome that an operator gives a payout with an exception, with the evidence for it. */
export type Resolution = {
  readonly payoutId: string;
  readonly outcome: Outcome;
  readonly reason: string;
  /** The operator and the operation: a payout is resolved once by an operation. */
  readonly by: { readonly person: string; readonly operation: string };
};

/** The second person, and what that person has read of the payout (`describePayout`). */
export type SecondPerson = { readonly person: string; readonly before: string };

type Answer = Payout | Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST" | Later>;
type Later = "ACCESS_FORBIDDEN" | "SERVICE_UNAVAILABLE";

const beingSent = refused(
  "SERVICE_UNAVAILABLE",
  "The payout is being sent: its rejection takes effect afterwards, or is superseded.",
);
const aloneRefusal = refused("ACCESS_FORBIDDEN", "caller: needs the approval of another person");

/** A payout as an approver reads it: a resolution is of this, and of nothing that came later. */
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
 * Decides the effect of a resolution that a second person has approved, once, in the payout's
 * document: a repeat answers with what was decided. A rejection waits while a worker may be
 * submitting the payout whose money would be released.
 */
export async function resolvePayout(
  deps: ResolutionDeps,
  resolution: Resolution,
  second: SecondPerson | undefined,
): Promise<Answer> {
  const { payouts, audit, rails, clock, wake } = deps;
  const { payoutId, outcome, by } = resolution;
  for (;;) {
    const found = await readResolvable(payouts, payoutId, by.operation, clock.now());
    if (found === undefined) return refused("RECORD_NOT_FOUND");
    const { payout, fate, isBeingSent } = found;
    if (fate !== undefined) return fate === "applied" ? payout : supersededRefusal;
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

/** The rail first: from then on it never pays what is given back, or was paid another way. */
async function isTakenBack(
  rails: ResolutionDeps["rails"],
  { id, rail }: Payout,
  { kind }: Resolved,
): Promise<boolean> {
  return kind !== "moves" || rails.withdraw(rail, id);
}

/** The step in the history names both operators; its actor is the approving one. */
function stepOf({ outcome, reason, by }: Resolution, second: SecondPerson, at: Date) {
  const persons = `proposed by ${by.person}, approved by ${second.person}`;
  const actor = { kind: "operator", id: second.person } as const;
  const detail = `resolved as ${outcomeText(outcome)}, ${persons}: ${reason}`;
  return { at, detail, by: { actor, operationId: by.operation } };
}
