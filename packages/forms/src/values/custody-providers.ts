/** A custodian or exchange that may hold a beneficiary's wallet. */
export type CustodyProvider = { readonly code: string; readonly name: string };

/** The code of every provider that has none of its own; its name is then free text. */
export const otherProvider = "OTHERS";

/**
 * 45 well-known custodians and exchanges. A deployment names further codes by a setting of the
 * beneficiary service; a code is never taken away, as stored beneficiaries carry it.
 */
export const custodyProviders: readonly CustodyProvider[] = [
  { code: "ANCHORAGE_DIGITAL", name: "Anchorage Digital" },
  { code: "BAKKT", name: "Bakkt" },
  { code: "BINANCE", name: "Binance" },
  { code: "BINANCE_US", name: "Binance.US" },
  { code: "BITBANK", name: "bitbank" },
  { code: "BITFINEX", name: "Bitfinex" },
  { code: "BITFLYER", name: "bitFlyer" },
  { code: "BITGET", name: "Bitget" },
  { code: "BITGO", name: "BitGo" },
  { code: "BITHUMB", name: "Bithumb" },
  { code: "BITPANDA", name: "Bitpanda" },
  { code: "BITSO", name: "Bitso" },
  { code: "BITSTAMP", name: "Bitstamp" },
  { code: "BITVAVO", name: "Bitvavo" },
  { code: "BYBIT", name: "Bybit" },
  { code: "CEFFU", name: "Ceffu" },
  { code: "COBO", name: "Cobo" },
  { code: "COINBASE", name: "Coinbase" },
  { code: "COINBASE_PRIME", name: "Coinbase Prime" },
  { code: "COINCHECK", name: "Coincheck" },
  { code: "COINDCX", name: "CoinDCX" },
  { code: "COPPER", name: "Copper" },
  { code: "CRYPTO_COM", name: "Crypto.com" },
  { code: "DERIBIT", name: "Deribit" },
  { code: "FIDELITY_DIGITAL_ASSETS", name: "Fidelity Digital Assets" },
  { code: "FIREBLOCKS", name: "Fireblocks" },
  { code: "GATE_IO", name: "Gate.io" },
  { code: "GEMINI", name: "Gemini" },
  { code: "HASHKEY", name: "HashKey" },
  { code: "HEX_TRUST", name: "Hex Trust" },
  { code: "HTX", name: "HTX" },
  { code: "INDEPENDENT_RESERVE", name: "Independent Reserve" },
  { code: "KOMAINU", name: "Komainu" },
  { code: "KRAKEN", name: "Kraken" },
  { code: "KUCOIN", name: "KuCoin" },
  { code: "LUNO", name: "Luno" },
  { code: "MERCADO_BITCOIN", name: "Mercado Bitcoin" },
  { code: "MEXC", name: "MEXC" },
  { code: "OKX", name: "OKX" },
  { code: "PAXOS", name: "Paxos" },
  { code: "ROBINHOOD", name: "Robinhood" },
  { code: "UPBIT", name: "Upbit" },
  { code: "VALR", name: "VALR" },
  { code: "WAZIRX", name: "WazirX" },
  { code: "ZODIA_CUSTODY", name: "Zodia Custody" },
];

/** Every code that a body may name: the known ones, a deployment's own, and `OTHERS`. */
export function custodyProviderCodes(
  extra: readonly string[] = [],
): readonly [string, ...string[]] {
  const codes = new Set([...custodyProviders.map((provider) => provider.code), ...extra]);
  codes.delete(otherProvider);
  const [first = otherProvider, ...rest] = [...codes, otherProvider];
  return [first, ...rest];
}
