/**
 * The code for any provider without a code of its own. The body then names the provider in free
 * text.
 */
const otherProvider = "OTHERS";

/**
 * 45 well-known custodians and exchanges that may hold a beneficiary's wallet, by code. A setting
 * of the beneficiary service adds a deployment's own codes. Never remove a code, because stored
 * beneficiaries contain it.
 */
export const custodyProviders = {
  ANCHORAGE_DIGITAL: "Anchorage Digital",
  BAKKT: "Bakkt",
  BINANCE: "Binance",
  BINANCE_US: "Binance.US",
  BITBANK: "bitbank",
  BITFINEX: "Bitfinex",
  BITFLYER: "bitFlyer",
  BITGET: "Bitget",
  BITGO: "BitGo",
  BITHUMB: "Bithumb",
  BITPANDA: "Bitpanda",
  BITSO: "Bitso",
  BITSTAMP: "Bitstamp",
  BITVAVO: "Bitvavo",
  BYBIT: "Bybit",
  CEFFU: "Ceffu",
  COBO: "Cobo",
  COINBASE: "Coinbase",
  COINBASE_PRIME: "Coinbase Prime",
  COINCHECK: "Coincheck",
  COINDCX: "CoinDCX",
  COPPER: "Copper",
  CRYPTO_COM: "Crypto.com",
  DERIBIT: "Deribit",
  FIDELITY_DIGITAL_ASSETS: "Fidelity Digital Assets",
  FIREBLOCKS: "Fireblocks",
  GATE_IO: "Gate.io",
  GEMINI: "Gemini",
  HASHKEY: "HashKey",
  HEX_TRUST: "Hex Trust",
  HTX: "HTX",
  INDEPENDENT_RESERVE: "Independent Reserve",
  KOMAINU: "Komainu",
  KRAKEN: "Kraken",
  KUCOIN: "KuCoin",
  LUNO: "Luno",
  MERCADO_BITCOIN: "Mercado Bitcoin",
  MEXC: "MEXC",
  OKX: "OKX",
  PAXOS: "Paxos",
  ROBINHOOD: "Robinhood",
  UPBIT: "Upbit",
  VALR: "VALR",
  WAZIRX: "WazirX",
  ZODIA_CUSTODY: "Zodia Custody",
} as const;

/** Returns the name of a provider; `""` for `OTHERS`. A deployment's own code is in words. */
export function custodyProviderName(code: string): string {
  if (code === otherProvider) return "";
  const known: Readonly<Record<string, string>> = custodyProviders;
  return known[code] ?? code.replaceAll("_", " ");
}

/** All accepted codes: the known ones, the deployment's own, and `OTHERS`. */
export function custodyProviderCodes(
  extra: readonly string[] = [],
): readonly [string, ...string[]] {
  const codes = new Set([...Object.keys(custodyProviders), ...extra]);
  codes.delete(otherProvider);
  const [first = otherProvider, ...rest] = [...codes, otherProvider];
  return [first, ...rest];
}
