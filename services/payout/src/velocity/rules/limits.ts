import { findCurrency } from "@disburse/kernel/currency.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Violation } from "@disburse/kernel/refusal.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import type { Exceeded, Limit } from "./window.ts";

/** Amount limits in one source currency, as decimal text. "" means no limit. */
type AmountText = { readonly currency: string; readonly hour: string; readonly day: string };

export type LimitsText = {
  /** The maximum number of payouts in the window. Absent means no limit; 0 allows no payout. */
  readonly count_hour?: number;
  readonly count_day?: number;
  readonly amounts: readonly AmountText[];
};

/**
 * The subject of a limit. `merchant` counts all payouts of a merchant. `beneficiary` counts a
 * merchant's payouts to one account or wallet.
 */
export type LimitedSubject = "merchant" | "beneficiary";

export const unlimited: LimitsText = { amounts: [] };

export type MerchantLimitsText = Readonly<Record<LimitedSubject, LimitsText>>;
export type MerchantLimits = Readonly<Record<LimitedSubject, readonly Limit[]>>;

/**
 * Returns the violations in the limits of a subject. `name` is the subject's field in the request.
 */
export function limitViolations(name: string, limits: LimitsText): Violation[] {
  const counts = (["count_hour", "count_day"] as const)
    .filter((field) => (limits[field] ?? 0) < 0)
    .map((field) => ({ field: `${name}.${field}`, problem: "must not be negative" }));
  const { count_hour = 0, count_day = Number.POSITIVE_INFINITY } = limits;
  const isAbove = counts.length === 0 && count_hour > count_day;
  const above = { field: `${name}.count_hour`, problem: "must not be above count_day" };
  return [
    ...counts,
    ...(isAbove ? [above] : []),
    ...limits.amounts.flatMap((each, at) => amountViolations(name, limits, each, at)),
  ];
}

function amountViolations(name: string, { amounts }: LimitsText, text: AmountText, at: number) {
  const path = `${name}.amounts[${at}]`;
  const { currency } = text;
  if (findCurrency(currency) === undefined) {
    return [{ field: `${path}.currency_code`, problem: "must be a known currency" }];
  }
  if (amounts.findIndex((each) => each.currency === currency) !== at) {
    return [{ field: `${path}.currency_code`, problem: "must not be repeated" }];
  }
  const read = (["hour", "day"] as const).map((window) => {
    const amount = text[window] === "" ? undefined : parseAmount(text[window], currency);
    return { field: `${path}.${window}`, amount };
  });
  const wrong = read.flatMap(({ field, amount }) =>
    isRefused(amount) ? [{ field, problem: amount.detail ?? "" }] : [],
  );
  const [hour, day] = read.map(({ amount }) => (isRefused(amount) ? undefined : amount));
  if (hour === undefined || day === undefined || hour <= day) return wrong;
  return [{ field: `${path}.hour`, problem: "must not be above day" }];
}

/** Parses limits that were validated before they were stored. */
export function readLimits({ count_hour, count_day, amounts }: LimitsText): Limit[] {
  const counts = Object.entries({ hour: count_hour, day: count_day }).flatMap(([window, max]) =>
    max === undefined ? [] : [{ window: window as Limit["window"], max: BigInt(max) }],
  );
  const sums = amounts.flatMap((text) =>
    (["hour", "day"] as const).flatMap((window): Limit[] => {
      const max = text[window] === "" ? undefined : parseAmount(text[window], text.currency);
      if (isRefused(max)) throw new Error("a stored limit is not an amount");
      return max === undefined ? [] : [{ window, currency: text.currency, max }];
    }),
  );
  return [...counts, ...sums];
}

const subjectWords = { merchant: "by this merchant", beneficiary: "to this beneficiary" } as const;
const windowWords = { hour: "in 60 minutes", day: "in 24 hours" } as const;

/**
 * Returns the detail of a refusal. It names the limit, and the time from which the limit allows the
 * payout.
 */
export function exceededSentence(subject: LimitedSubject, { limit, allowedAt }: Exceeded): string {
  const { currency, max, window } = limit;
  const most =
    currency === undefined
      ? `${max} ${max === 1n ? "payout" : "payouts"}`
      : `${formatAmount(max, currency)} ${currency}`;
  const rule = `At most ${most} ${subjectWords[subject]} ${windowWords[window]}`;
  if (allowedAt !== "never")
    return `${rule}. The limit allows this payout from ${isoTime(allowedAt)} on.`;
  return currency === undefined ? `${rule}.` : `${rule}. This payout alone exceeds the limit.`;
}
