import { type ClosingStep, closingMovement } from "../payouts/rules/movement.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { endFunds } from "../treasury/accounts.ts";
import type { RailWorkerDeps } from "./steps.ts";

/**
 * Moves the money of a decided outcome, once: at its rail, then in the merchant's account. What a
 * crash leaves between the two is repeated, and a repeat moves nothing.
 */
export async function moveOwed(
  { ledger, room }: Pick<RailWorkerDeps, "ledger" | "room">,
  payout: Payout,
  step: ClosingStep,
): Promise<void> {
  const { id, quote } = payout;
  const { accountId, merchantId, beneficiary } = quote;
  if (payout.isFunded) await endFunds(ledger, payout, step);
  const { outcome } = await ledger.apply({ merchantId, accountId }, closingMovement(payout, step));
  if (outcome !== "applied") throw new Error(`${step} not applied: ${outcome}`);
  // A payout that was not paid counts no longer towards the velocity limits of its merchant.
  if (step === "release") await room.giveBack(id, { merchantId, beneficiaryId: beneficiary.id });
}
