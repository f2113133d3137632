import { currencyOf } from "@disburse/kernel/currency.ts";
import {
  addDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  normalise,
  parseDecimal,
} from "@disburse/kernel/decimal.ts";
import type { Conversion, LedgerEntry, LedgerStep, Posting } from "./account.ts";

/** Minor units as an exact amount of their currency. */
function unitsOf(minor: bigint, currency: string): Decimal {
  return { units: minor, scale: currencyOf(currency).decimals };
}

function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

/** Both sides of every posting turned round: what takes an entry back. */
export function reversed(postings: readonly Posting[]): Posting[] {
  return postings.map((each) => ({ ...each, amount: negated(each.amount) }));
}

/** The postings of a movement between the merchant's own balances, or with the world. */
export function plainPostings(
  step: Extract<LedgerStep, "credit" | "hold" | "release">,
  minor: bigint,
  currency: string,
): Posting[] {
  const amount = unitsOf(minor, currency);
  const [to, from] = sides[step];
  return [
    { account: to, currency, amount },
    { account: from, currency, amount: negated(amount) },
  ];
}

const sides = {
  credit: ["available", "house:funding"],
  hold: ["held", "available"],
  release: ["available", "held"],
} as const;

/**
 * The postings of a payment: the held money becomes fees and what is exchanged; of what the
 * exchange gives, the receiving amount leaves and the rest is the rounding remainder.
 */
export function paymentPostings(
  sourceMinor: bigint,
  source: string,
  { destination, feesMinor, receivingMinor, exchangeRate }: Conversion,
): Posting[] {
  const rate = parseDecimal(exchangeRate);
  if (rate === undefined) throw new Error("an exchange rate that is no decimal");
  const converted = unitsOf(sourceMinor - feesMinor, source);
  const bought = multiplyDecimals(converted, rate);
  const received = unitsOf(receivingMinor, destination);
  const remainder = addDecimals(bought, negated(received));
  return merged([
    { account: "held", currency: source, amount: negated(unitsOf(sourceMinor, source)) },
    { account: "house:fees", currency: source, amount: unitsOf(feesMinor, source) },
    { account: "house:exchange", currency: source, amount: converted },
    { account: "house:exchange", currency: destination, amount: negated(bought) },
    { account: "house:settlement", currency: destination, amount: received },
    { account: "house:rounding", currency: destination, amount: remainder },
  ]);
}

/** One posting for each account and currency; what comes to nothing is left out. */
function merged(postings: readonly Posting[]): Posting[] {
  const groups = Map.groupBy(postings, ({ account, currency }) => `${account}/${currency}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const amount = group.map((each) => each.amount).reduce(addDecimals);
    return first === undefined || amount.units === 0n ? [] : [{ ...first, amount }];
  });
}

/** Whether the postings of an entry sum to zero in each currency. */
export function isBalanced(postings: readonly Posting[]): boolean {
  const sums = Map.groupBy(postings, ({ currency }) => currency);
  return [...sums.values()].every(
    (group) => group.map(({ amount }) => amount).reduce(addDecimals).units === 0n,
  );
}

/** An amount of a posting as it is stored, hashed and shown: no zeros at its end, no exponent. */
export function postingText(amount: Decimal): string {
  return formatDecimal(normalise(amount));
}

/** Sums of house postings by `<account>/<currency>`. */
export type HouseSums = Readonly<Record<string, Decimal>>;

/** Both sums together. */
export function addHouseSums(a: HouseSums, b: HouseSums): HouseSums {
  const total: Record<string, Decimal> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    const before = total[name];
    total[name] = before === undefined ? amount : addDecimals(before, amount);
  }
  return total;
}

/** The sums with the house postings of further entries added. */
export function withHousePostings(sums: HouseSums, entries: readonly LedgerEntry[]): HouseSums {
  return entries
    .flatMap(({ postings }) => postings)
    .filter(({ account }) => account !== "available" && account !== "held")
    .reduce<HouseSums>(
      (total, { account, currency, amount }) =>
        addHouseSums(total, { [`${account}/${currency}`]: amount }),
      sums,
    );
}
