import { moneyText } from "./amounts.ts";

type Amount = { readonly amount: string; readonly currency: string };

/** Adds decimal texts by currency, exactly. Returns the sums in the order of the currencies. */
export function sumsOf(amounts: readonly Amount[]): readonly Amount[] {
  return [...Map.groupBy(amounts, ({ currency }) => currency)]
    .map(([currency, group]) => ({ currency, amount: sumOf(group.map(({ amount }) => amount)) }))
    .toSorted((one, two) => one.currency.localeCompare(two.currency));
}

export function sumsText(amounts: readonly Amount[]): string {
  return sumsOf(amounts)
    .map(({ amount, currency }) => moneyText(amount, currency))
    .join(", ");
}

/** Compares decimal texts exactly. */
export function isBelow(amount: string, other: string): boolean {
  const [one = 0n, two = 0n] = minorsOf([amount, other]).minors;
  return one < two;
}

/** Returns decimal texts as whole numbers of their common smallest unit. */
function minorsOf(amounts: readonly string[]) {
  const parts = amounts.map((amount) => {
    const [whole = "", decimals = ""] = amount.split(".");
    return { whole, decimals };
  });
  const places = Math.max(...parts.map(({ decimals }) => decimals.length));
  const minors = parts.map(({ whole, decimals }) =>
    BigInt(`${whole}${decimals.padEnd(places, "0")}`),
  );
  return { minors, places };
}

function sumOf(amounts: readonly string[]): string {
  const { minors, places } = minorsOf(amounts);
  const minor = minors.reduce((sum, each) => sum + each, 0n);
  const digits = String(minor).padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
