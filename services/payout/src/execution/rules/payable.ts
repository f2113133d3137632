import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { UnclearedStatus } from "../../payouts/rules/clearance.ts";

/** A corridor's bounds in minor units, inclusive; `undefined` where there is none. */
export type Limits = {
  readonly sourceMin: bigint | undefined;
  readonly sourceMax: bigint | undefined;
  readonly receivingMin: bigint | undefined;
  readonly receivingMax: bigint | undefined;
};

/** A quote to execute. */
export type ExecutableQuote = {
  readonly merchantId: string;
  readonly state: "open" | "claimed" | "expired";
  readonly corridorOpen: boolean;
  readonly limits: Limits;
  readonly sourceMinor: bigint;
  readonly receivingMinor: bigint;
  readonly expiresAt: Date;
};

/** The next step of an execute: hold the money, or complete what a crash left. */
export type Payable = "hold" | "complete";

/**
 * The first refusal of a quote that cannot be paid, in the interface's order of precedence; `now`
 * is the clock of the quote's database. This refuses early: on expiry the claim decides.
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

type FundRefusal = "ACCESS_FORBIDDEN" | "BENEFICIARY_NOT_READY" | "AMOUNT_NOT_WITHIN_LIMITS";

/** The checks after those of the quote itself: the beneficiary, then the corridor's limits. */
export function fundable(
  quote: Pick<ExecutableQuote, "limits" | "sourceMinor" | "receivingMinor">,
  screening: UnclearedStatus | "cleared" | undefined,
): "fundable" | Refused<FundRefusal> {
  if (screening === "pending") return refused("BENEFICIARY_NOT_READY");
  if (screening !== "cleared") {
    return refusedBecause("ACCESS_FORBIDDEN", "beneficiary_not_cleared");
  }
  const { limits, sourceMinor, receivingMinor } = quote;
  const within =
    isWithin(sourceMinor, limits.sourceMin, limits.sourceMax) &&
    isWithin(receivingMinor, limits.receivingMin, limits.receivingMax);
  return within ? "fundable" : refused("AMOUNT_NOT_WITHIN_LIMITS");
}

function isWithin(minor: bigint, min: bigint | undefined, max: bigint | undefined): boolean {
  return (min === undefined || minor >= min) && (max === undefined || minor <= max);
}

/** The answer where the payout exists; for another operation a closed corridor comes first. */
export function executedBefore(
  payout: { readonly operationId: string },
  operationId: string,
  corridorOpen: boolean,
): "same" | Refused<"ACCESS_FORBIDDEN" | "ALREADY_PROCESSED"> {
  if (payout.operationId === operationId) return "same";
  return refused(corridorOpen ? "ALREADY_PROCESSED" : "ACCESS_FORBIDDEN");
}

/** References that the sandbox's rail reads as scenarios. */
const sandboxReferencePrefix = "sandbox-";

/** Whether a reference is one that a live deployment refuses. */
export function isReserved(mode: "live" | "sandbox", referenceId: string): boolean {
  return mode === "live" && referenceId.startsWith(sandboxReferencePrefix);
}
