import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** Bounds in minor units, inclusive; `undefined` where there is none. */
export type Limits = {
  readonly sourceMin: bigint | undefined;
  readonly sourceMax: bigint | undefined;
  readonly receivingMin: bigint | undefined;
  readonly receivingMax: bigint | undefined;
};

/** A quote as the payout service sees it when it is asked to execute it. */
export type ExecutableQuote = {
  readonly merchantId: string;
  readonly state: "open" | "claimed" | "expired";
  readonly corridorOpen: boolean;
  readonly limits: Limits;
  readonly sourceMinor: bigint;
  readonly receivingMinor: bigint;
  readonly expiresAt: Date;
};

/** The next thing to do with a quote: pay it, or finish a payout that a crash left half made. */
export type Payable = "hold" | "complete";

/**
 * What the merchant hears first when a quote cannot be paid, in the interface's order of
 * precedence; `now` is the clock of the quote's database. The claim decides on expiry for good;
 * this refuses early.
 */
export function payable(
  quote: ExecutableQuote,
  merchantId: string,
  now: Date,
): Payable | Refused<"ACCESS_FORBIDDEN" | "QUOTE_EXPIRED"> {
  if (quote.merchantId !== merchantId) return refused("ACCESS_FORBIDDEN");
  if (quote.state === "claimed") return "complete";
  if (!quote.corridorOpen) return refused("ACCESS_FORBIDDEN");
  if (quote.state === "expired" || now >= quote.expiresAt) return refused("QUOTE_EXPIRED");
  return "hold";
}

/** What is decided after the quote itself: the beneficiary, then the corridor's limits. */
export function fundable(
  quote: Pick<ExecutableQuote, "limits" | "sourceMinor" | "receivingMinor">,
  beneficiaryCleared: boolean,
): "fundable" | Refused<"ACCESS_FORBIDDEN" | "AMOUNT_NOT_WITHIN_LIMITS"> {
  if (!beneficiaryCleared) return refused("ACCESS_FORBIDDEN");
  const { limits, sourceMinor, receivingMinor } = quote;
  const within =
    isWithin(sourceMinor, limits.sourceMin, limits.sourceMax) &&
    isWithin(receivingMinor, limits.receivingMin, limits.receivingMax);
  return within ? "fundable" : refused("AMOUNT_NOT_WITHIN_LIMITS");
}

function isWithin(minor: bigint, min: bigint | undefined, max: bigint | undefined): boolean {
  return (min === undefined || minor >= min) && (max === undefined || minor <= max);
}

/**
 * What a repeated or late execute hears of a payout that exists. To any but its own operation a
 * corridor that is closed by now comes first, in the interface's order of precedence.
 */
export function executedBefore(
  payout: { readonly operationId: string },
  operationId: string,
  corridorOpen: boolean,
): "same" | Refused<"ACCESS_FORBIDDEN" | "ALREADY_PROCESSED"> {
  if (payout.operationId === operationId) return "same";
  return refused(corridorOpen ? "ALREADY_PROCESSED" : "ACCESS_FORBIDDEN");
}

/** References that the sandbox's rail reads as scenarios; a live deployment refuses them. */
export const sandboxReferencePrefix = "sandbox-";
