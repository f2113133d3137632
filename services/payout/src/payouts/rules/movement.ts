import type { Movement } from "../../ledger/rules/account.ts";
import type { Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";

/** The steps that end a payout's hold, or return its payment. */
export type ClosingStep = "post" | "release" | "return";

/** The movement of a payout's money whose outcome is decided. */
export function closingMovement({ id, quote }: Payout, step: ClosingStep): Movement {
  const { claim, destination, feesMinor, receivingMinor, exchangeRate } = quote;
  const common = { payoutId: id, note: claim.referenceId };
  if (step !== "post") return { step, ...common };
  return { step, ...common, conversion: { destination, feesMinor, receivingMinor, exchangeRate } };
}

/** The movement that a decided outcome needs, and the progress after it. */
export function pendingMovement(
  progress: Progress,
): { readonly step: ClosingStep; readonly to: Progress } | undefined {
  if (progress.stage === "returning") {
    return { step: "return", to: { ...progress, stage: "returned" } };
  }
  if (progress.stage !== "concluding") return undefined;
  const { outcome } = progress;
  if (outcome.kind === "cancelled") return { step: "release", to: { stage: "cancelled" } };
  const { failure } = outcome;
  const failed = failure === undefined ? {} : { failure };
  if (outcome.kind === "rejected") return { step: "release", to: { stage: "rejected", ...failed } };
  const { reference, returned } = outcome;
  if (returned !== true) return { step: "post", to: { stage: "settled", reference } };
  return { step: "post", to: { stage: "returning", reference, ...failed } };
}
