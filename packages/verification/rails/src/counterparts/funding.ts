import type { SandboxClients } from "@disburse/sandbox/clients.ts";
import { bankRails } from "./bank-rails.ts";
import type { Banks } from "./banks.ts";
import type { Chain } from "./chain.ts";

/** The platform account's currency at a rail. */
type Funds = { readonly rail: string; readonly currencyCode: string };

/** Rails that pay from the platform account. */
export function fundsOf(
  chain: Pick<Chain, "settings"> | undefined,
  banks: Pick<Banks, "names"> | undefined,
): Funds[] {
  return [
    ...(chain === undefined ? [] : [{ rail: chain.settings.rail, currencyCode: "USDC_ETH" }]),
    ...(banks?.names ?? []).map((rail) => ({ rail, currencyCode: bankRails[rail].currency })),
  ];
}

/** Credits each platform account, as treasury does when money arrives at a rail. */
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
