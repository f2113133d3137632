import { currencyOf } from "@disburse/kernel/currency.ts";
import {
  addDecimals,
  type Decimal,
  divideCeil,
  formatDecimal,
  multiplyDecimals,
  normalise,
  parseDecimal,
} from "@disburse/kernel/decimal.ts";
import type {
  Conversion,
  LedgerEntry,
  LedgerStep,
  Posting,
  RailStep,
  Shortfall,
} from "./account.ts";

function unitsOf(minor: bigint, currency: string): Decimal {
  return { units: minor, scale: currencyOf(currency).decimals };
}

function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

/** Returns the postings that reverse an entry, with the opposite signs. */
export function reversed(postings: readonly Posting[]): Posting[] {
  return postings.map((each) => ({ ...each, amount: negated(each.amount) }));
}

/**
 * Returns the postings of a movement between the merchant's own balances, or between the merchant
 * and the outside.
 */
export function plainPostings(
  step: Extract<LedgerStep, "credit" | "reserve" | "unreserve" | "hold" | "release">,
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
  credit: ["available", "platform:funding"],
  reserve: ["held", "available"],
  unreserve: ["available", "held"],
  hold: ["held", "available"],
  release: ["available", "held"],
} as const;

/**
 * Returns the postings of a rail account's movement. `platform:nostro` mirrors the account's
 * balance, so the two sum to zero in each currency. A charge also reduces the balance, at the
 * platform's cost.
 */
export function railPostings(step: RailStep, minor: bigint, currency: string): Posting[] {
  const amount = unitsOf(minor, currency);
  const [to, from] = railSides[step];
  return merged([
    { account: to, currency, amount },
    { account: from, currency, amount: negated(amount) },
    ...(step === "rail_charge" ? chargePostings(amount, currency) : []),
  ]);
}

const railSides = {
  fund: ["available", "platform:nostro"],
  sweep: ["platform:nostro", "available"],
  rail_hold: ["held", "available"],
  rail_post: ["platform:nostro", "held"],
  rail_release: ["available", "held"],
  rail_return: ["available", "platform:nostro"],
  rail_charge: ["platform:nostro", "available"],
} as const satisfies Record<RailStep, readonly [Posting["account"], Posting["account"]]>;

/**
 * Returns the postings of a charge. The money leaves the platform as in a payment, but the platform
 * bears the cost.
 */
function chargePostings(amount: Decimal, currency: string): Posting[] {
  return [
    { account: "platform:settlement", currency, amount },
    { account: "platform:charges", currency, amount: negated(amount) },
  ];
}

/**
 * Returns the postings of a returned payment. Without a shortfall, the full amount returns. With a
 * shortfall, either the platform bears the bank's charge or the merchant gets less. The merchant's
 * part is converted at the payout's rate and rounded up to a minor unit. The excess goes to
 * `platform:rounding`.
 */
export function returnPostings(
  payment: readonly Posting[],
  source: string,
  short: Shortfall | undefined,
): Posting[] {
  // The payment was made from held money, but the return goes to the available balance.
  const back = reversed(payment).map((each) =>
    each.account === "held" ? { ...each, account: "available" as const } : each,
  );
  if (short === undefined) return back;
  const { destination: currency, minor, bearer } = short;
  const missing = unitsOf(minor, currency);
  if (bearer === "platform") return merged([...back, ...chargePostings(missing, currency)]);
  const withheld = unitsOf(withheldMinor(source, short), source);
  const bought = multiplyDecimals(withheld, rateOf(short.exchangeRate));
  return merged([
    ...back,
    { account: "available", currency: source, amount: negated(withheld) },
    { account: "platform:exchange", currency: source, amount: withheld },
    { account: "platform:exchange", currency, amount: negated(bought) },
    { account: "platform:settlement", currency, amount: missing },
    { account: "platform:rounding", currency, amount: addDecimals(bought, negated(missing)) },
  ]);
}

/**
 * Returns the amount withheld from a merchant that bears return charges, in minor units of the
 * source currency. It is the shortfall divided by the payout's rate. It is rounded up so that the
 * platform bears no part of the shortfall.
 */
export function withheldMinor(
  source: string,
  { destination, minor, exchangeRate }: Omit<Shortfall, "bearer">,
): bigint {
  const rate = rateOf(exchangeRate);
  const numerator = minor * 10n ** BigInt(rate.scale + currencyOf(source).decimals);
  return divideCeil(numerator, rate.units * 10n ** BigInt(currencyOf(destination).decimals));
}

function rateOf(exchangeRate: string): Decimal {
  const rate = parseDecimal(exchangeRate);
  if (rate === undefined) throw new Error("an exchange rate is not a decimal");
  return rate;
}

/**
 * Returns the postings of a payment. The held money becomes fees and the amount to exchange. The
 * receiving amount leaves from the exchange account; the rest is a rounding remainder.
 */
export function paymentPostings(
  sourceMinor: bigint,
  source: string,
  { destination, feesMinor, receivingMinor, exchangeRate }: Conversion,
): Posting[] {
  const rate = rateOf(exchangeRate);
  const converted = unitsOf(sourceMinor - feesMinor, source);
  const bought = multiplyDecimals(converted, rate);
  const received = unitsOf(receivingMinor, destination);
  const remainder = addDecimals(bought, negated(received));
  return merged([
    { account: "held", currency: source, amount: negated(unitsOf(sourceMinor, source)) },
    { account: "platform:fees", currency: source, amount: unitsOf(feesMinor, source) },
    { account: "platform:exchange", currency: source, amount: converted },
    { account: "platform:exchange", currency: destination, amount: negated(bought) },
    { account: "platform:settlement", currency: destination, amount: received },
    { account: "platform:rounding", currency: destination, amount: remainder },
  ]);
}

/** Adds up postings by account and currency. Omits sums of zero. */
function merged(postings: readonly Posting[]): Posting[] {
  const groups = Map.groupBy(postings, ({ account, currency }) => `${account}/${currency}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const amount = group.map((each) => each.amount).reduce(addDecimals);
    return first === undefined || amount.units === 0n ? [] : [{ ...first, amount }];
  });
}

/** Returns true if the postings sum to zero in each currency. */
export function isBalanced(postings: readonly Posting[]): boolean {
  const sums = Map.groupBy(postings, ({ currency }) => currency);
  return [...sums.values()].every(
    (group) => group.map(({ amount }) => amount).reduce(addDecimals).units === 0n,
  );
}

/** Formats an amount for storage, hashes and display: no trailing zeros and no exponent. */
export function postingText(amount: Decimal): string {
  return formatDecimal(normalise(amount));
}

/** Sums of the postings to platform accounts, by `<account>/<currency>`. */
export type PlatformSums = Readonly<Record<string, Decimal>>;

export function addPlatformSums(a: PlatformSums, b: PlatformSums): PlatformSums {
  const total: Record<string, Decimal> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    const before = total[name];
    total[name] = before === undefined ? amount : addDecimals(before, amount);
  }
  return total;
}

export function withPlatformPostings(
  sums: PlatformSums,
  entries: readonly LedgerEntry[],
): PlatformSums {
  return entries
    .flatMap(({ postings }) => postings)
    .filter(({ account }) => account !== "available" && account !== "held")
    .reduce<PlatformSums>(
      (total, { account, currency, amount }) =>
        addPlatformSums(total, { [`${account}/${currency}`]: amount }),
      sums,
    );
}
