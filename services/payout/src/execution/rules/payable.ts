import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { UnclearedStatus } from "../../payouts/rules/clearance.ts";

/** A corridor's minimum and maximum amount in minor units, both inclusive. */
export type Limits = {
  readonly sourceMin: bigint | undefined;
  readonly sourceMax: bigint | undefined;
  readonly receivingMin: bigint | undefined;
  readonly receivingMax: bigint | undefined;
};

export type ExecutableQuote = {
  readonly merchantId: string;
  readonly state: "open" | "claimed" | "expired";
  readonly corridorOpen: boolean;
  readonly limits: Limits;
  readonly sourceMinor: bigint;
  readonly receivingMinor: bigint;
  readonly expiresAt: Date;
};

/**
 * The next step of an execute. `hold`: hold the money. `complete`: the quote is claimed already, so
 * complete the payout of an execute that crashed.
 */
export type Payable = "hold" | "complete";

/**
 * Checks a quote and returns the next step, or the first refusal in the API contract's order. `now`
 * is the time by the quote database's clock. This check only refuses early; the claim finally
 * decides whether the quote has expired.
 */
export function payable(
  quote: ExecutableQuote,
  merchantId: string,
  now: Date,
): Payable | Refused<"ACCESS_FORBIDDEN" | "QUOTE_EXPIRED"> {
  if (quote.merchantId !== merchantId) return refusedBecause("ACCESS_FORBIDDEN", "other_merchant");
  if (quote.state === "claimed") return "complete";
  if (!quote.corridorOpen) return refusedBecause("ACCESS_FORBIDDEN", "corridor_not_open");
  if (quote.state === "expired" || now >= quote.expiresAt) return refused("QUOTE_EXPIRED");
  return "hold";
}

/** Returns every reason why a quote can't be executed now, for a dry run. */
export function payRefusals(
  quote: ExecutableQuote,
  merchantId: string,
  now: Date,
): Refused<"ACCESS_FORBIDDEN" | "QUOTE_EXPIRED" | "ALREADY_PROCESSED">[] {
  if (quote.merchantId !== merchantId)
    return [refusedBecause("ACCESS_FORBIDDEN", "other_merchant")];
  const isExpired = quote.state === "expired" || now >= quote.expiresAt;
  if (quote.state === "claimed") return [refused("ALREADY_PROCESSED")];
  return [
    ...(quote.corridorOpen ? [] : [refusedBecause("ACCESS_FORBIDDEN", "corridor_not_open")]),
    ...(isExpired ? [refused("QUOTE_EXPIRED")] : []),
  ];
}

type FundRefusal = "ACCESS_FORBIDDEN" | "BENEFICIARY_NOT_READY" | "AMOUNT_NOT_WITHIN_LIMITS";

/** Checks the beneficiary, then the corridor's limits. Call `payable` first. */
export function fundable(
  quote: FundedQuote,
  screening: UnclearedStatus | "cleared" | undefined,
): "fundable" | Refused<FundRefusal> {
  return fundRefusals(quote, screening)[0] ?? "fundable";
}

type FundedQuote = Pick<ExecutableQuote, "limits" | "sourceMinor" | "receivingMinor">;

/** Returns every refusal of the beneficiary and the corridor's limits, in the order of the checks. */
export function fundRefusals(
  { limits, sourceMinor, receivingMinor }: FundedQuote,
  screening: UnclearedStatus | "cleared" | undefined,
): Refused<FundRefusal>[] {
  const within =
    isWithin(sourceMinor, limits.sourceMin, limits.sourceMax) &&
    isWithin(receivingMinor, limits.receivingMin, limits.receivingMax);
  return [...clearance(screening), ...(within ? [] : [refused("AMOUNT_NOT_WITHIN_LIMITS")])];
}

function clearance(
  screening: UnclearedStatus | "cleared" | undefined,
): Refused<"ACCESS_FORBIDDEN" | "BENEFICIARY_NOT_READY">[] {
  if (screening === "pending") return [refused("BENEFICIARY_NOT_READY")];
  if (screening === "cleared") return [];
  return [refusedBecause("ACCESS_FORBIDDEN", "beneficiary_not_cleared")];
}

function isWithin(minor: bigint, min: bigint | undefined, max: bigint | undefined): boolean {
  return (min === undefined || minor >= min) && (max === undefined || minor <= max);
}

/**
 * Refuses if another operation created the payout. With a closed corridor, the refusal is
 * `ACCESS_FORBIDDEN`.
 */
export function sameOperation(
  payout: { readonly operationId: string },
  operationId: string,
  corridorOpen: boolean,
): "same" | Refused<"ACCESS_FORBIDDEN" | "ALREADY_PROCESSED"> {
  if (payout.operationId === operationId) return "same";
  return refused(corridorOpen ? "ALREADY_PROCESSED" : "ACCESS_FORBIDDEN");
}

/** The sandbox rail reads references with this prefix as scenarios. */
const sandboxReferencePrefix = "sandbox-";

/** Returns true if the reference is reserved for the sandbox. Live mode refuses such references. */
export function isReserved(mode: "live" | "sandbox", referenceId: string): boolean {
  return mode === "live" && referenceId.startsWith(sandboxReferencePrefix);
}
