import type { Movement } from "@disburse/ledger/rules/account.ts";
import { heldFor, type Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";
import { shortMinorOf, shortOf } from "./rail-report.ts";

/** The ledger steps that end a payout's hold or return its payment. */
export type ClosingStep = "post" | "release" | "return";

export function closingMovement(payout: Payout, step: ClosingStep): Movement {
  const { quote, order } = payout;
  const { destination, feesMinor, receivingMinor, exchangeRate } = quote;
  const common = { ...heldFor(order), note: order.details.referenceId };
  if (step === "release") return { step, ...common };
  if (step === "return") {
    const minor = shortMinorOf(payout);
    if (minor === 0n) return { step, ...common };
    const short = { bearer: quote.returnCharges, destination, minor, exchangeRate };
    return { step, ...common, short };
  }
  return { step, ...common, conversion: { destination, feesMinor, receivingMinor, exchangeRate } };
}

/** Returns the money movement that a decided outcome still needs, and the progress after it. */
export function pendingMovement(
  progress: Progress,
): { readonly step: ClosingStep; readonly to: Progress } | undefined {
  if (progress.stage === "returning") {
    return { step: "return", to: { ...progress, stage: "returned" } };
  }
  if (progress.stage !== "concluding") return undefined;
  const { outcome } = progress;
  if (outcome.kind === "cancelled") {
    const { kind: _, ...why } = outcome;
    return { step: "release", to: { stage: "cancelled", ...why } };
  }
  const { failure } = outcome;
  const failed = failure === undefined ? {} : { failure };
  const missing = shortOf(progress);
  const short = missing === undefined ? {} : { short: missing };
  if (outcome.kind === "rejected") return { step: "release", to: { stage: "rejected", ...failed } };
  const { reference, returned } = outcome;
  if (returned !== true) return { step: "post", to: { stage: "settled", reference } };
  return { step: "post", to: { stage: "returning", reference, ...failed, ...short } };
}
