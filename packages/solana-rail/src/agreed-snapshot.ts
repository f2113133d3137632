import type { Funds } from "@disburse/chain-rail/rules/nonces.ts";
import { greatestOf, leastOf } from "@disburse/kernel/bigint.ts";
import type { Address } from "@solana/kit";
import type { SolanaNode } from "./node.ts";
import { type PriorityFees, priorityFee } from "./rules/priority-fee.ts";
import { readTokenAccount } from "./rules/token-data.ts";
import type { Token } from "./tokens.ts";

/** The state of the chain and the wallet on which enough nodes agree. */
export type Snapshot = {
  readonly funds: Funds;
  /** The decimals of each token's mint. */
  readonly decimals: ReadonlyMap<string, number>;
  /** Currencies whose token account of this wallet the issuer has frozen, by any node. */
  readonly frozen: readonly string[];
  /** The priority fee of a new transaction, in micro-lamports for a unit of computation. */
  readonly pricePerUnit: bigint;
  /** The rent of a new token account, in lamports. */
  readonly tokenRent: bigint;
};

export type NodeSnapshot = {
  readonly coin: bigint;
  readonly held: ReadonlyMap<string, { readonly amount: bigint; readonly isFrozen: boolean }>;
  readonly rentExempt: bigint;
  readonly tokenRent: bigint;
  readonly fees: readonly bigint[];
};

/** An upper bound for a token account with the extensions that a mint requires of it. */
const tokenAccountBytes = 200n;

/** Reads the wallet's state from one node. */
export async function readSnapshot(
  node: SolanaNode,
  wallet: Address,
  tokens: ReadonlyMap<string, Token>,
): Promise<NodeSnapshot> {
  const [accounts, rentExempt, tokenRent, fees] = await Promise.all([
    node.accounts([wallet, ...[...tokens.values()].map(({ own }) => own)]),
    node.rentExempt(0n),
    node.rentExempt(tokenAccountBytes),
    node.recentFees(wallet),
  ]);
  const held = [...tokens].map(([currency, { own, program }]) => {
    const account = accounts.get(own);
    const token = account?.owner === program ? readTokenAccount(account.data) : undefined;
    const isOurs = token?.owner === wallet;
    const amount = isOurs ? token.amount : 0n;
    return [currency, { amount, isFrozen: token?.isFrozen ?? false }] as const;
  });
  const coin = accounts.get(wallet)?.lamports ?? 0n;
  return { coin, held: new Map(held), rentExempt, tokenRent, fees };
}

/**
 * Combines the states that nodes report. Returns `undefined` if fewer than `agreeing` nodes
 * responded. The lowest balances and the highest costs count.
 */
export function agreedSnapshot(
  states: readonly (NodeSnapshot | undefined)[],
  agreeing: number,
  { native, fees }: { readonly native: string | undefined; readonly fees: PriorityFees },
  tokens: ReadonlyMap<string, { readonly decimals: number }>,
): Snapshot | undefined {
  const [first, ...others] = states.filter((state) => state !== undefined);
  if (first === undefined || others.length + 1 < agreeing) return undefined;
  const given = [first, ...others];
  const least = (of: (state: NodeSnapshot) => bigint) => leastOf(of(first), ...others.map(of));
  const most = (of: (state: NodeSnapshot) => bigint) => greatestOf(of(first), ...others.map(of));
  const currencies = [...tokens.keys()];
  const amounts = currencies.map(
    (currency) => [currency, least(({ held }) => held.get(currency)?.amount ?? 0n)] as const,
  );
  // The wallet must keep its own rent, or the network refuses its transactions.
  const coin = greatestOf(0n, least((state) => state.coin) - most((state) => state.rentExempt));
  return {
    funds: { native, coin, tokens: new Map(amounts) },
    decimals: new Map([...tokens].map(([currency, { decimals }]) => [currency, decimals])),
    frozen: currencies.filter((each) => given.some(({ held }) => held.get(each)?.isFrozen)),
    pricePerUnit: priorityFee(
      given.map((state) => state.fees),
      fees,
    ),
    tokenRent: most((state) => state.tokenRent),
  };
}
