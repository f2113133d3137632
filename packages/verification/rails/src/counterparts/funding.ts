import type { SandboxClients } from "@disburse/sandbox/clients.ts";
import { bankRails } from "./bank-rails.ts";
import type { Banks } from "./banks.ts";
import type { Chain } from "./chain.ts";

/** What the house has at a rail. */
type Funds = { readonly rail: string; readonly currencyCode: string };

/** The rails that pay from money of ours. */
export function fundsOf(
  chain: Pick<Chain, "settings"> | undefined,
  banks: Pick<Banks, "names"> | undefined,
): Funds[] {
  return [
    ...(chain === undefined ? [] : [{ rail: chain.settings.rail, currencyCode: "USDC_ETH" }]),
    ...(banks?.names ?? []).map((rail) => ({ rail, currencyCode: bankRails[rail].currency })),
  ];
}

/** Books what the house has at each, as its treasury does when money has arrived there. */
export async function fundRails(
  { operations }: Pick<SandboxClients, "operations">,
  funds: readonly Funds[],
  amount: string,
  approve: (call: Promise<unknown>) => Promise<unknown> = (call) => call,
): Promise<void> {
  for (const { rail, currencyCode } of funds) {
    const mutation = { operationId: `fund:${rail}` };
    const note = "opening balance";
    await approve(operations.fundRailAccount({ mutation, rail, currencyCode, amount, note }));
  }
}
