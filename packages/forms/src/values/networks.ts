/** The networks of crypto beneficiaries (service interface: `routing_code_value_1`). */
export const networks = ["ETHEREUM", "SOLANA", "POL", "BNB", "BTC", "TRX"] as const;

/** The network of a wallet. */
export type Network = (typeof networks)[number];

/** Whether a text names one of the networks. */
export function isNetwork(text: string): text is Network {
  return (networks as readonly string[]).includes(text);
}

/** What can be delivered on a network, in the interface's codes (decisions: beneficiaries). */
export const networkCurrencies: Readonly<Record<Network, readonly string[]>> = {
  ETHEREUM: ["USDC_ETH", "USDT_ETH", "ETH"],
  SOLANA: ["SOL", "PYUSD_SOL", "USDP_SOL", "USDC_SOL"],
  POL: ["MATIC_POLYGON", "USDC_COIN_POLYGON"],
  // Bridged tokens; the network is part of every instruction to a rail.
  BNB: ["USDC_ETH", "USDT_ETH", "ETH"],
  BTC: ["BTC"],
  TRX: ["USDT_TRON"],
};

/** The currency that a SOLANA beneficiary has where the body names none. */
export const solanaDefaultCurrency = "USDC_SOL";
