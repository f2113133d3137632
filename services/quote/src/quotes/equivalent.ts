import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { GetEquivalentAmountRequest } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import type { Decimal } from "@disburse/kernel/decimal.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { CurrentCorridors } from "../corridors/current.ts";
import { isStale } from "../corridors/rules/corridor.ts";
import { convertedBack, convertedTo } from "./rules/arithmetic.ts";

type RateDeps = { readonly current: CurrentCorridors; readonly clock: Clock };

/** An amount in another currency, rounded up; without one where no current rate is open. */
export async function equivalentAmount(
  deps: RateDeps,
  {
    merchantId,
    amount: text,
    currencyCode: from,
    equivalentCurrencyCode: to,
  }: GetEquivalentAmountRequest,
): Promise<{ amount?: string }> {
  if (findCurrency(from) === undefined || findCurrency(to) === undefined) {
    return orThrow(refused("INVALID_REQUEST", "currency codes: must be known currencies"));
  }
  const amount = parseAmount(text, from);
  if (isRefused(amount)) return orThrow(refused("INVALID_REQUEST", `amount: ${amount.detail}`));
  const there = await openRate(deps, merchantId, { source: from, destination: to });
  if (there !== undefined) return { amount: formatAmount(convertedTo(there, amount), to) };
  const back = await openRate(deps, merchantId, { source: to, destination: from });
  return back === undefined ? {} : { amount: formatAmount(convertedBack(back, amount), to) };
}

type Pair = { readonly source: string; readonly destination: string };

/** The rate in force of a corridor that is open to the merchant, and not stale. */
async function openRate(
  { current, clock }: RateDeps,
  merchantId: string,
  pair: Pair,
): Promise<(Pair & { readonly rate: Decimal }) | undefined> {
  const corridor = await current.find(pair.source, pair.destination);
  if (corridor?.active !== true) return undefined;
  if (!(await current.isOpenTo(merchantId, corridor.id))) return undefined;
  const found = await current.latestRate(corridor.id);
  if (found === undefined || isStale(corridor, found, clock.now())) return undefined;
  return { source: pair.source, destination: pair.destination, rate: found.rate };
}
