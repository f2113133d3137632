import { sandboxCorridors } from "@disburse/sandbox/sandbox-data.ts";

/** Source, destination and fixed amount, then source, fees, converted and receiving amount. */
export type Quoted = readonly [
  string,
  string,
  "source" | "receiving",
  string,
  string,
  string,
  string,
];

/**
 * Calculated by hand from the sandbox's rates and fees with exact fractions (decisions: quotes).
 */
export const quoted: readonly Quoted[] = [
  ["USD", "USD", "source", "123.45", "0.63", "122.82", "122.82"],
  ["USD", "USD", "receiving", "78.35", "0.58", "77.77", "77.77"],
  ["USD", "USDC", "source", "123.45", "0.63", "122.82", "122.795436"],
  ["USD", "USDC", "receiving", "50.70", "0.56", "50.14", "50.123456"],
  ["USD", "INR", "source", "123.45", "0.92", "122.53", "10185.11"],
  ["USD", "INR", "receiving", "12.41", "0.37", "12.04", "1000.00"],
  ["USD", "EUR", "source", "123.45", "0.88", "122.57", "105.71"],
  ["USD", "EUR", "receiving", "90.95", "0.78", "90.17", "77.77"],
  ["USD", "USDC_ETH", "source", "123.45", "1.25", "122.20", "122.175560"],
  ["USD", "USDC_ETH", "receiving", "51.25", "1.11", "50.14", "50.123456"],
  ["USDC_ETH", "USDC_ETH", "source", "123.456789", "0.873457", "122.583332", "122.583332"],
  ["USDC_ETH", "USDC_ETH", "receiving", "50.924381", "0.800925", "50.123456", "50.123456"],
  ["USDC_ETH", "USD", "source", "123.456789", "0.746914", "122.709875", "122.64"],
  ["USDC_ETH", "USD", "receiving", "78.465837", "0.656932", "77.808905", "77.77"],
  ["USDC_ETH", "INR", "source", "123.456789", "0.917284", "122.539505", "10177.05"],
  ["USDC_ETH", "INR", "receiving", "12.402780", "0.362014", "12.040766", "1000.00"],
  ["USD", "USDC_SOL", "source", "123.45", "0.23", "123.22", "123.195356"],
  ["USD", "USDC_SOL", "receiving", "5.12", "0.11", "5.01", "5.000001"],
  ["USD", "USDT_TRON", "source", "123.45", "1.75", "121.70", "121.590470"],
  ["USD", "USDT_TRON", "receiving", "101.81", "1.71", "100.10", "99.999999"],
  ["USD", "BTC", "source", "123.45", "1.50", "121.95", "0.00128368"],
  ["USD", "BTC", "receiving", "118.77", "1.48", "117.29", "0.00123457"],
  ["BTC", "BTC", "source", "0.12345678", "0.00007173", "0.12338505", "0.12338505"],
  ["BTC", "BTC", "receiving", "0.00124520", "0.00001063", "0.00123457", "0.00123457"],
  ["USD", "ETH", "source", "123.45", "1.13", "122.32", "0.038225000000000000"],
  ["USD", "ETH", "receiving", "40.39", "0.88", "39.51", "0.012345678901234567"],
  ["USD", "SOL", "source", "123.45", "0.35", "123.10", "0.820666670"],
  ["USD", "SOL", "receiving", "18.66", "0.14", "18.52", "0.123456789"],
];

export function rateOf(source: string, destination: string): string {
  const corridors = sandboxCorridors.filter((each) => each.source === source);
  return corridors.find((each) => each.destination === destination)?.rate ?? "";
}
