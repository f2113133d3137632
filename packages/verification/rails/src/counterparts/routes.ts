import type { BankName } from "./bank-rails.ts";
import type { Banks } from "./banks.ts";
import type { BitcoinNode } from "./bitcoin.ts";
import type { Chain } from "./chain.ts";
import type { Solana } from "./solana.ts";

const bankRoutes: Readonly<Record<BankName, object>> = {
  "bank-usd": { currency: "USD", transfer_type: "SWIFT" },
  "bank-ach": { currency: "USD", transfer_type: "ACH" },
  "bank-eur": { currency: "EUR", transfer_type: "SEPA" },
  "bank-large": { currency: "USD", transfer_type: "LOCAL" },
};

/** Routes payouts to rails in `RAIL_ROUTES` format. Other payouts are simulated. */
export function routesOf(
  chain: Pick<Chain, "settings"> | undefined,
  banks: Pick<Banks, "names"> | undefined,
  bitcoin: Pick<BitcoinNode, "settings"> | undefined,
  solana?: Pick<Solana, "settings">,
) {
  return [
    ...(bitcoin === undefined ? [] : [{ network: "BTC", rail: bitcoin.settings.rail }]),
    ...(solana === undefined ? [] : [{ network: "SOLANA", rail: solana.settings.rail }]),
    ...(chain === undefined ? [] : [{ network: "ETHEREUM", rail: chain.settings.rail }]),
    ...(banks?.names ?? []).map((rail) => ({ ...bankRoutes[rail], rail })),
    { rail: "sandbox" },
  ];
}
