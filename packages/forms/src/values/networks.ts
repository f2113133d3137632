/** Networks of crypto beneficiaries (service interface: `routing_code_value_1`). */
export const networks = ["ETHEREUM", "SOLANA", "POL", "BNB", "BTC", "TRX"] as const;

export type Network = (typeof networks)[number];

export function isNetwork(text: string): text is Network {
  return (networks as readonly string[]).includes(text);
}

/** Currencies of each network, in the interface's codes (decisions: beneficiaries). */
export const networkCurrencies: Readonly<Record<Network, readonly string[]>> = {
  ETHEREUM: ["USDC_ETH", "USDT_ETH", "ETH"],
  SOLANA: ["SOL", "PYUSD_SOL", "USDP_SOL", "USDC_SOL"],
  POL: ["MATIC_POLYGON", "USDC_COIN_POLYGON"],
  // Bridged tokens have the same codes. The code is unambiguous, because every instruction to a
  // rail also names the network.
  BNB: ["USDC_ETH", "USDT_ETH", "ETH"],
  BTC: ["BTC"],
  TRX: ["USDT_TRON"],
};

/** The currency that applies if a body for SOLANA names none. */
export const solanaDefaultCurrency = "USDC_SOL";

/**
 * Contracts and mints of the tokens behind our currencies, including wrapped coins, with checksums.
 * Sources: developers.circle.com (USDC), tether.to (USDT), docs.paxos.com (PYUSD, USDP),
 * docs.polygon.technology (MATIC, POL and bridged tokens), docs.bnbchain.org (Binance-Peg tokens),
 * spl.solana.com (native mints).
 */
export const networkTokens: Readonly<Record<Network, Readonly<Record<string, string>>>> = {
  ETHEREUM: {
    USDC: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    USDT: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
    PYUSD: "0x6c3ea9036406852006290770BEdFcAbA0e23A0e8",
    USDP: "0x8E870D67F660D95d5be530380D0eC0bd388289E1",
    WETH: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    WBTC: "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599",
    MATIC: "0x7D1AfA7B718fb893dB30A3aBc0Cfc608AaCfeBB0",
    POL: "0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6",
  },
  SOLANA: {
    USDC: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    USDT: "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
    PYUSD: "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo",
    USDP: "HVbpJAQGNpkgBaYBZQBR1t7yFdvaYVp2vCQQfKKEN4tM",
    "wrapped SOL": "So11111111111111111111111111111111111111112",
    "wrapped SOL of Token-2022": "9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP",
  },
  POL: {
    USDC: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
    "USDC.e": "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174",
    USDT: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
    WETH: "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619",
    WPOL: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
  },
  BNB: {
    USDC: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
    USDT: "0x55d398326f99059fF775485246999027B3197955",
    ETH: "0x2170Ed0880ac9A755fd29B2688956BD959F933F8",
    WBNB: "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
  },
  BTC: {},
  TRX: {
    USDT: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    USDC: "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8",
    WTRX: "TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR",
  },
};
