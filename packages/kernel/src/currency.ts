/**
 * The kind of a currency. `fiat` is money that a state issues. `crypto` is a token on a network.
 */
export type CurrencyKind = "fiat" | "crypto";

export type Currency = {
  readonly code: string;
  readonly name: string;
  /** For example `$` for US dollars. A crypto currency uses its own code (decisions: payouts). */
  readonly symbol: string;
  /** Digits after the point. Amounts are stored as whole numbers of 10^-decimals. */
  readonly decimals: number;
  readonly kind: CurrencyKind;
};

function fiat(code: string, name: string, symbol: string): Currency {
  return { code, name, symbol, decimals: 2, kind: "fiat" };
}

function crypto(code: string, name: string, decimals: number): Currency {
  return { code, name, symbol: code, decimals, kind: "crypto" };
}

/** All supported currencies. `USDC` follows the rules of USD. A network suffix marks a token. */
export const currencies: readonly Currency[] = [
  fiat("USD", "US Dollar", "$"),
  fiat("INR", "Indian Rupee", "₹"),
  fiat("EUR", "Euro", "€"),
  crypto("USDC", "USD Coin", 6),
  crypto("USDC_ETH", "USD Coin (Ethereum)", 6),
  crypto("USDT_ETH", "Tether USD (Ethereum)", 6),
  crypto("ETH", "Ether", 18),
  crypto("BTC", "Bitcoin", 8),
  crypto("SOL", "Solana", 9),
  crypto("MATIC_POLYGON", "Polygon", 18),
  crypto("USDC_COIN_POLYGON", "USD Coin (Polygon)", 6),
  crypto("PYUSD_SOL", "PayPal USD (Solana)", 6),
  crypto("USDP_SOL", "Pax Dollar (Solana)", 6),
  crypto("USDT_TRON", "Tether USD (Tron)", 6),
  crypto("USDC_SOL", "USD Coin (Solana)", 6),
];

const byCode = new Map(currencies.map((currency) => [currency.code, currency]));

/** Returns `undefined` for an unknown code. */
export function findCurrency(code: string): Currency | undefined {
  return byCode.get(code);
}

/** Throws for an unknown code, because callers pass only checked codes. */
export function currencyOf(code: string): Currency {
  const currency = byCode.get(code);
  if (currency === undefined) throw new Error(`unknown currency code ${JSON.stringify(code)}`);
  return currency;
}
