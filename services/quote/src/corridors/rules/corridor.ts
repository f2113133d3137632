import { findCurrency } from "@disburse/kernel/currency.ts";
import {
  type Decimal,
  divideCeil,
  multiplyDecimals,
  parseDecimal,
  rescale,
} from "@disburse/kernel/decimal.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Violation } from "@disburse/kernel/refusal.ts";

/** A share of the source amount plus a flat fee in source minor units. */
export type Fee = { readonly share: Decimal; readonly flatMinor: bigint };

/** Inclusive bounds on one payout in minor units; `undefined` means no bound. */
export type Limits = {
  readonly sourceMin: bigint | undefined;
  readonly sourceMax: bigint | undefined;
  readonly receivingMin: bigint | undefined;
  readonly receivingMax: bigint | undefined;
};

/** The party that pays bank charges on a returned payment. */
export type ReturnCharges = "platform" | "merchant";

export type CorridorTerms = {
  readonly source: string;
  readonly destination: string;
  readonly active: boolean;
  readonly fee: Fee;
  readonly limits: Limits;
  /** 0 selects the service's default lifetime. */
  readonly quoteTtlSeconds: number;
  /** 0 allows a rate of any age. */
  readonly rateMaxAgeSeconds: number;
  readonly returnCharges: ReturnCharges;
};

export type Corridor = CorridorTerms & { readonly id: string };

export type Rate = {
  /** Destination units per one source unit. */
  readonly rate: Decimal;
  readonly asOf: Date;
  readonly source: string;
};

/** Maximum decimals of rates and fee shares (decisions: quotes). */
export const rateDecimalsMax = 10;
/** The maximum integer digits of a rate. More indicate a publisher's mistake. */
const rateDigitsMax = 15;

/** The text fields of a `SetCorridor` request. */
export type CorridorText = {
  readonly source: string;
  readonly destination: string;
  readonly active: boolean;
  readonly feeShare: string;
  readonly feeFlat: string;
  readonly sourceMin: string;
  readonly sourceMax: string;
  readonly receivingMin: string;
  readonly receivingMax: string;
  readonly quoteTtlSeconds: number;
  readonly rateMaxAgeSeconds: number;
  readonly returnCharges: ReturnCharges;
};

/** Returns the corridor's terms, or every violation found. */
export function readCorridor(text: CorridorText): CorridorTerms | readonly Violation[] {
  const violations: Violation[] = [];
  const fail = (field: string, problem: string) => void violations.push({ field, problem });
  const currency = (field: string, code: string) => {
    if (findCurrency(code) === undefined) fail(field, "must be a known currency");
  };
  currency("source_currency_code", text.source);
  currency("destination_currency_code", text.destination);
  if (violations.length > 0) return violations;
  const amount = (field: string, digits: string, code: string) => {
    if (digits === "") return undefined;
    const minor = parseAmount(digits, code);
    if (!isRefused(minor)) return minor;
    fail(field, minor.detail ?? "must be an amount");
    return undefined;
  };
  const share = parseDecimal(text.feeShare);
  if (share === undefined || !isShare(share))
    fail("fee_share", "must be in the range from 0 to below 1");
  const isFree = parseDecimal(text.feeFlat)?.units === 0n;
  const flatMinor = isFree ? 0n : amount("fee_flat", text.feeFlat || "-", text.source);
  for (const field of ["quoteTtlSeconds", "rateMaxAgeSeconds"] as const) {
    if (text[field] < 0) fail(field, "must not be negative");
  }
  const limits = {
    sourceMin: amount("limits.source_min", text.sourceMin, text.source),
    sourceMax: amount("limits.source_max", text.sourceMax, text.source),
    receivingMin: amount("limits.receiving_min", text.receivingMin, text.destination),
    receivingMax: amount("limits.receiving_max", text.receivingMax, text.destination),
  };
  if (violations.length > 0 || share === undefined || flatMinor === undefined) return violations;
  const { source, destination, active, quoteTtlSeconds, rateMaxAgeSeconds, returnCharges } = text;
  const fee = { share, flatMinor };
  const times = { quoteTtlSeconds, rateMaxAgeSeconds };
  return { source, destination, active, fee, limits, ...times, returnCharges };
}

function isShare({ units, scale }: Decimal): boolean {
  return units >= 0n && scale <= rateDecimalsMax && units < 10n ** BigInt(scale);
}

/** Returns `undefined` if the rate is not above zero or has more digits than are stored. */
export function readRate(text: string): Decimal | undefined {
  const rate = parseDecimal(text);
  if (rate === undefined || rate.units <= 0n || rate.scale > rateDecimalsMax) return undefined;
  return rate.units < 10n ** BigInt(rate.scale + rateDigitsMax) ? rate : undefined;
}

export function isStale(corridor: CorridorTerms, rate: Rate, now: Date): boolean {
  if (corridor.rateMaxAgeSeconds === 0) return false;
  const ageMs = BigInt(now.getTime() - rate.asOf.getTime());
  return divideCeil(ageMs, 1_000n) > BigInt(corridor.rateMaxAgeSeconds);
}

/**
 * True if the move from one rate to another exceeds this share of `from`. A share of 0.1 is a
 * tenth.
 */
export function movesMoreThan(share: Decimal, from: Decimal, to: Decimal): boolean {
  const allowed = multiplyDecimals(from, share);
  const scale = Math.max(from.scale, to.scale, allowed.scale);
  const [before, after] = [rescale(from, scale), rescale(to, scale)];
  const moved = after > before ? after - before : before - after;
  return moved > rescale(allowed, scale);
}
