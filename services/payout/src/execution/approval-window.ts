import { formatAmount, readAmount } from "@disburse/kernel/money.ts";
import type { AmountRule } from "../controls/rules/approval.ts";
import type { VelocityReservations } from "../velocity/reservations.ts";
import type { Counted } from "../velocity/rules/usage.ts";
import type { ReadDeps } from "./reads.ts";

/** Converts amounts to the currencies of rules. */
export type Converting = { readonly quote: Pick<ReadDeps["quote"], "getEquivalentAmount"> };

type CountDeps = Pick<ReadDeps, "quote" | "controls"> & {
  readonly reservations: Pick<VelocityReservations, "count">;
};

type CountedPayout = Parameters<VelocityReservations["count"]>[0];

/**
 * If `isOverWindow` is true, the payout needs approval. `giveUp` removes the payout from the count
 * after a refusal.
 */
type Judged = { readonly isOverWindow: boolean; readonly giveUp: () => Promise<void> };

/**
 * Counts a payout for the merchant's rules that have a window, and compares the sum with each rule.
 * The sum includes all payouts that were counted earlier, even those that need approval. If several
 * payouts arrive at once and each alone would pass, at most one of them passes.
 */
export async function countForApproval(deps: CountDeps, payout: CountedPayout): Promise<Judged> {
  const { amounts = [] } = deps.controls.of(payout.merchantId)?.approval ?? {};
  const rules = amounts.filter(({ windowMs }) => windowMs > 0);
  if (rules.length === 0) return { isOverWindow: false, giveUp: async () => undefined };
  const { counted, giveUp } = await deps.reservations.count(payout);
  return { isOverWindow: await isOverAny(deps, rules, counted, payout), giveUp };
}

/** Returns true if a payout reaches the minimum of a rule, together with those counted earlier. */
export async function isOverAny(
  deps: Converting,
  rules: readonly AmountRule[],
  counted: readonly Counted[],
  payout: WorthPayout,
): Promise<boolean> {
  for (const rule of rules) {
    for (const each of counted) {
      if (await isOver(deps, rule, each, payout)) return true;
    }
  }
  return false;
}

/** The payout's values that count towards a rule. */
type WorthPayout = Pick<CountedPayout, "merchantId" | "currency" | "amount">;

/**
 * Returns true if the sum reaches the rule's minimum, or if a payout's value in the rule's currency
 * is unknown.
 */
async function isOver(
  deps: Converting,
  { currency, minimum, windowMs }: AmountRule,
  { earlier, at }: Counted,
  payout: WorthPayout,
): Promise<boolean> {
  const sums = new Map([[payout.currency, payout.amount]]);
  for (const part of earlier) {
    if (part.at.getTime() <= at.getTime() - windowMs) continue;
    sums.set(part.currency, (sums.get(part.currency) ?? 0n) + part.amount);
  }
  let total = 0n;
  for (const [of, sum] of sums) {
    const worth =
      of === currency ? sum : await worthOf(deps, payout.merchantId, [sum, of], currency);
    if (worth === undefined) return true;
    total += worth;
  }
  return total >= minimum;
}

/** Converts an amount at the current rate. Returns `undefined` if there is no rate. */
async function worthOf(
  { quote }: Converting,
  merchantId: string,
  [amount, currencyCode]: readonly [bigint, string],
  equivalentCurrencyCode: string,
): Promise<bigint | undefined> {
  const currencies = { currencyCode, equivalentCurrencyCode };
  const request = { merchantId, amount: formatAmount(amount, currencyCode), ...currencies };
  const { amount: worth } = await quote.getEquivalentAmount(request);
  return worth === undefined ? undefined : readAmount(worth, equivalentCurrencyCode);
}
