import { findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Payout } from "./payout.ts";
import { applyRailStatus, type Progress, type RailStatus } from "./progress.ts";

/** The amount of a rail report, as the rail writes it; "" where it gives none. */
export type TransferredAmount = {
  /** Decimal text. */
  readonly amount: string;
  readonly currency: string;
};

/** What a rail says of a transfer, by response, poll or callback. */
export type RailReport = {
  readonly status: RailStatus;
  readonly transferred?: TransferredAmount | undefined;
};

/** The progress after a rail report; another amount or currency is refused as a contradiction. */
export function applyRailReport(
  { progress, quote }: Pick<Payout, "progress" | "quote">,
  { status, transferred }: RailReport,
): Progress | "unchanged" | Refused<"INVALID_REQUEST"> {
  const { destination, receivingMinor } = quote;
  const mismatch = transferred && mismatchOf(transferred, destination, receivingMinor);
  return mismatch ?? applyRailStatus(progress, status);
}

function mismatchOf(
  { amount, currency }: TransferredAmount,
  destination: string,
  submittedMinor: bigint,
): Refused<"INVALID_REQUEST"> | undefined {
  if (currency !== "" && currency !== destination) {
    const isKnown = findCurrency(currency) !== undefined;
    const what = isKnown ? `is ${currency}, ${destination} was submitted` : "is not a known one";
    return refused("INVALID_REQUEST", `currency_code: ${what}`);
  }
  if (amount === "") return undefined;
  const minor = parseAmount(amount, destination);
  if (isRefused(minor)) return refused("INVALID_REQUEST", `amount: ${minor.detail}`);
  return minor === submittedMinor
    ? undefined
    : refused("INVALID_REQUEST", "amount: is not what was submitted");
}
