/** The data of a new sandbox (decisions §8). Its rates and fees are invented. */

export const merchantNames = ["acme", "globex", "frozen", "bare"] as const;
export type MerchantName = (typeof merchantNames)[number];

export const sandboxAccounts = [
  { merchant: "acme", currency: "USD", funds: "1000000.00" },
  { merchant: "acme", currency: "USD", funds: "" },
  { merchant: "acme", currency: "USDC_ETH", funds: "1000000.000000" },
  { merchant: "acme", currency: "BTC", funds: "10.00000000" },
  { merchant: "acme", currency: "INR", funds: "10000000.00" },
  { merchant: "globex", currency: "USD", funds: "1000000.00" },
] as const;

const both: readonly MerchantName[] = ["acme", "globex"];

function corridor(
  source: string,
  destination: string,
  rate: string,
  [feeShare, feeFlat]: readonly [string, string],
) {
  return { source, destination, rate, feeShare, feeFlat, active: true, openTo: both };
}

export const sandboxCorridors = [
  corridor("USD", "USD", "1", ["0.001", "0.50"]),
  corridor("USD", "USDC", "0.9998", ["0.001", "0.50"]),
  corridor("USD", "INR", "83.1234567891", ["0.005", "0.30"]),
  corridor("USD", "EUR", "0.8625", ["0.003", "0.50"]),
  corridor("USD", "USDC_ETH", "0.9998", ["0.002", "1.00"]),
  corridor("USDC_ETH", "USDC_ETH", "1", ["0.001", "0.750000"]),
  corridor("USDC_ETH", "USD", "0.9995", ["0.002", "0.500000"]),
  corridor("USDC_ETH", "INR", "83.0512", ["0.005", "0.300000"]),
  corridor("USD", "USDC_SOL", "0.9998", ["0.001", "0.10"]),
  corridor("USD", "USDT_TRON", "0.9991", ["0.002", "1.50"]),
  corridor("USD", "BTC", "0.0000105263", ["0.004", "1.00"]),
  corridor("BTC", "BTC", "1", ["0.0005", "0.00001000"]),
  corridor("USD", "ETH", "0.0003125", ["0.003", "0.75"]),
  corridor("USD", "SOL", "0.0066666667", ["0.002", "0.10"]),
  { ...corridor("INR", "BTC", "0.0000001266", ["0.01", "10.00"]), active: false },
  { ...corridor("USD", "MATIC_POLYGON", "2.5", ["0.003", "0.25"]), openTo: ["globex" as const] },
];

/** Minimum and maximum of one payout, by source currency. */
export const sandboxLimits: Readonly<Record<string, { min: string; max: string }>> = {
  USD: { min: "1.00", max: "100000.00" },
  USDC_ETH: { min: "1.000000", max: "100000.000000" },
  BTC: { min: "0.00010000", max: "2.00000000" },
  INR: { min: "100.00", max: "1000000.00" },
};
