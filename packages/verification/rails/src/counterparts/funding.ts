import type { SandboxClients } from "@disburse/sandbox/clients.ts";
import { bankRails } from "./bank-rails.ts";
import type { Banks } from "./banks.ts";
import type { BitcoinNode } from "./bitcoin.ts";
import type { Chain } from "./chain.ts";
import type { Solana } from "./solana.ts";

/** The platform account's currency at a rail, and the amount to credit. */
type Funds = { readonly rail: string; readonly currencyCode: string; readonly amount: string };

/** Rails that pay from the platform account, with `amount` at each rail but Bitcoin. */
export function fundsOf(
  chain: Pick<Chain, "settings"> | undefined,
  banks: Pick<Banks, "names"> | undefined,
  bitcoin: Pick<BitcoinNode, "settings"> | undefined,
  { amount, bitcoins }: { readonly amount: string; readonly bitcoins: string },
  solana?: Pick<Solana, "settings">,
): Funds[] {
  return [
    ...(solana === undefined
      ? []
      : [{ rail: solana.settings.rail, currencyCode: "USDC_SOL", amount }]),
    ...(chain === undefined
      ? []
      : [{ rail: chain.settings.rail, currencyCode: "USDC_ETH", amount }]),
    ...(bitcoin === undefined
      ? []
      : [{ rail: bitcoin.settings.rail, currencyCode: "BTC", amount: bitcoins }]),
    ...(banks?.names ?? []).map((rail) => {
      return { rail, currencyCode: bankRails[rail].currency, amount };
    }),
  ];
}

/** Credits each platform account, as treasury does when money arrives at a rail. */
export async function fundRails(
  { operations }: Pick<SandboxClients, "operations">,
  funds: readonly Funds[],
  approve: (call: Promise<unknown>) => Promise<unknown> = (call) => call,
): Promise<void> {
  for (const { rail, currencyCode, amount } of funds) {
    const mutation = { operationId: `fund:${rail}` };
    const note = "opening balance";
    await approve(operations.fundRailAccount({ mutation, rail, currencyCode, amount, note }));
  }
}
