import type { Movement } from "./account.ts";
import type { Payout } from "./payout.ts";

/** The steps that end a payout's hold, or take its payment back. */
export type EndingStep = "post" | "release" | "return";

/** The movement of a payout's money whose outcome is decided. */
export function endingMovement({ id, quote }: Payout, step: EndingStep): Movement {
  const { claim, destination, feesMinor, receivingMinor, exchangeRate } = quote;
  const common = { payoutId: id, note: claim.referenceId };
  if (step !== "post") return { step, ...common };
  return { step, ...common, conversion: { destination, feesMinor, receivingMinor, exchangeRate } };
}
