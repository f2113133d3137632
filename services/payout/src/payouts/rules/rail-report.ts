import { findCurrency } from "@disburse/kernel/currency.ts";
import { formatAmount, parseAmount, readAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { RailReport, TransferredAmount } from "@disburse/rail/report.ts";
import type { Payout } from "./payout.ts";
import { applyRailStatus, type Progress } from "./progress.ts";

/** A bank's charge for a transfer, in minor units. */
export type Charge = { readonly currency: string; readonly minor: bigint };

export function readCharges(
  charges: readonly TransferredAmount[] = [],
): readonly Charge[] | Refused<"INVALID_REQUEST"> {
  const read: Charge[] = [];
  for (const { amount, currency } of charges) {
    if (findCurrency(currency) === undefined) {
      return refused("INVALID_REQUEST", "charges: must be in known currencies");
    }
    const minor = parseAmount(amount, currency);
    if (isRefused(minor)) return refused("INVALID_REQUEST", `charges: ${minor.detail}`);
    read.push({ currency, minor });
  }
  return read;
}

/**
 * Applies a rail report to a payout. Refuses reports that contradict the payout. These have a
 * different amount or currency, or a shortfall that differs from the booked one or is the whole
 * amount.
 */
export function applyRailReport(
  { progress, quote }: Pick<Payout, "progress" | "quote">,
  { status, transferred, short }: RailReport,
): Progress | "unchanged" | Refused<"INVALID_REQUEST"> {
  const { destination, receivingMinor } = quote;
  const isShort = status.kind === "returned" && short !== undefined;
  const missing = isShort ? shortfallOf(short, destination, receivingMinor) : undefined;
  if (isRefused(missing)) return missing;
  const mismatch = transferred && mismatchOf(transferred, destination, receivingMinor, missing);
  if (mismatch !== undefined) return mismatch;
  const next = applyRailStatus(progress, status);
  if (missing === undefined || isRefused(next)) return next;
  return withShort(progress, next, formatAmount(missing, destination));
}

function withShort(before: Progress, next: Progress | "unchanged", short: string) {
  if (next === "unchanged") {
    return shortOf(before) === short
      ? next
      : refused("INVALID_REQUEST", "short: differs from the shortfall that is already booked");
  }
  if (next.stage === "returning") return { ...next, short };
  if (next.stage !== "concluding" || next.outcome.kind !== "settled") return next;
  return { ...next, outcome: { ...next.outcome, short } };
}

/** Returns the part of a returned payment that did not come back, or `undefined`. */
export function shortOf(progress: Progress): string | undefined {
  if (progress.stage === "returning" || progress.stage === "returned") return progress.short;
  const isBack = progress.stage === "concluding" && progress.outcome.kind === "settled";
  return isBack ? progress.outcome.short : undefined;
}

/** Returns the part of a returned payment that did not come back, in minor units, or 0. */
export function shortMinorOf({ progress, quote }: Pick<Payout, "progress" | "quote">): bigint {
  const text = shortOf(progress);
  return text === undefined ? 0n : readAmount(text, quote.destination);
}

function shortfallOf({ amount, currency }: TransferredAmount, destination: string, paid: bigint) {
  if (currency !== destination)
    return refused("INVALID_REQUEST", "short: must be in the payout's currency");
  const minor = parseAmount(amount, destination);
  if (isRefused(minor)) return refused("INVALID_REQUEST", `short: ${minor.detail}`);
  return minor < paid
    ? minor
    : refused("INVALID_REQUEST", "short: must be less than the paid amount");
}

function mismatchOf(
  { amount, currency }: TransferredAmount,
  destination: string,
  submittedMinor: bigint,
  missing = 0n,
): Refused<"INVALID_REQUEST"> | undefined {
  if (currency !== "" && currency !== destination) {
    const isKnown = findCurrency(currency) !== undefined;
    const what = isKnown
      ? `is ${currency}, but ${destination} was submitted`
      : "is not a known currency";
    return refused("INVALID_REQUEST", `currency_code: ${what}`);
  }
  if (amount === "") return undefined;
  const minor = parseAmount(amount, destination);
  if (isRefused(minor)) return refused("INVALID_REQUEST", `amount: ${minor.detail}`);
  // If part of a return is missing, some rails report the amount paid and others the amount
  // returned.
  return minor === submittedMinor || minor === submittedMinor - missing
    ? undefined
    : refused("INVALID_REQUEST", "amount: differs from the submitted amount");
}
