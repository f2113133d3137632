import { postUntilAnswered } from "@disburse/faults/payouts/client.ts";
import {
  byAch,
  byBitcoin,
  bySepa,
  bySolanaWallet,
  bySwift,
  byWallet,
  paidSolanaWallet,
} from "./demo/recipients.ts";
import type { Recipient } from "./load.ts";
import type { World } from "./world.ts";

const kinds = {
  wallet: { path: "/transfer/crypto/beneficiary", body: byWallet, currency: "USDC_ETH", digits: 6 },
  bitcoin: { path: "/transfer/crypto/beneficiary", body: byBitcoin, currency: "BTC", digits: 8 },
  solana: {
    path: "/transfer/crypto/beneficiary",
    body: bySolanaWallet(paidSolanaWallet),
    currency: "USDC_SOL",
    digits: 6,
  },
  ach: { path: "/transfer/fiat/beneficiary", body: byAch, currency: "USD", digits: 2 },
  local: {
    path: "/transfer/fiat/beneficiary",
    body: { ...byAch, transfer_type: "LOCAL" },
    currency: "USD",
    digits: 2,
  },
  sepa: { path: "/transfer/fiat/beneficiary", body: bySepa, currency: "EUR", digits: 2 },
  swift: { path: "/transfer/fiat/beneficiary", body: bySwift, currency: "USD", digits: 2 },
} as const;

export type RecipientKind = keyof typeof kinds;

export async function registerRecipient(
  { platform, apiKey }: World,
  kind: RecipientKind,
): Promise<Recipient> {
  const { path, body, currency, digits } = kinds[kind];
  const answer = await postUntilAnswered({ baseUrl: platform.baseUrl, apiKey }, path, body);
  const id = answer?.data.beneficiary_id;
  if (id === undefined)
    throw new Error(`could not create a beneficiary of kind ${kind}: ${answer?.text}`);
  // The smallest payout of a bitcoin is a small part of one.
  const base = currency === "BTC" ? 100_000n : 2n * 10n ** BigInt(digits);
  return { id, currency, digits, base };
}
