import { type Plan, planTransaction } from "../transaction.ts";
import type { Coin, WalletKey } from "../wallet-key.ts";

/** A waiting payout that passed the checks of its address and amount. */
export type Payable = {
  readonly key: string;
  readonly script: Uint8Array;
  readonly amount: bigint;
};

/** A new batch: its payouts, its fixed coin and all its coins, with the fixed coin first. */
export type NewBatch = { readonly payouts: readonly Payable[]; readonly coins: readonly Coin[] };

/** A node reports a coin with its number of confirmations. */
export type NodeCoin = Coin & { readonly confirmations: number };

/**
 * Returns the coins that at least `agreeing` nodes report with the same amount and enough
 * confirmations. The oldest coins come first.
 */
export function agreedCoins(
  nodes: readonly (readonly NodeCoin[])[],
  agreeing: number,
  confirmations: number,
): Coin[] {
  const reports = new Map<string, { coin: NodeCoin; count: number }>();
  for (const coins of nodes) {
    for (const coin of coins) {
      if (coin.confirmations < confirmations) continue;
      const key = `${coin.id} ${coin.amount}`;
      const count = (reports.get(key)?.count ?? 0) + 1;
      reports.set(key, { coin, count });
    }
  }
  return [...reports.values()]
    .filter(({ count }) => count >= agreeing)
    .map(({ coin }) => coin)
    .toSorted((one, other) => other.confirmations - one.confirmations)
    .map(({ id, amount }) => ({ id, amount }));
}

/**
 * Chooses payouts and coins of a new batch. Takes payouts in order. If the coins do not cover a
 * payout, later payouts are left out too: otherwise small payouts could delay a large one forever.
 * Returns `undefined` if the coins cover no payout.
 */
export function chooseBatch(
  key: WalletKey,
  waiting: readonly Payable[],
  coins: readonly Coin[],
  { rate, payoutsMax }: { readonly rate: bigint; readonly payoutsMax: number },
): NewBatch | undefined {
  const total = coins.reduce((sum, { amount }) => sum + amount, 0n);
  let sum = 0n;
  const affordable = waiting.slice(0, payoutsMax).filter(({ amount }) => {
    sum += amount;
    return sum < total;
  });
  for (let count = affordable.length; count > 0; count -= 1) {
    const payouts = affordable.slice(0, count);
    const plan = planTransaction(key, { payouts, required: [], candidates: coins, rate });
    if (plan !== undefined) return { payouts, coins: largestFirst(plan) };
  }
  return undefined;
}

/** The largest coin is the fixed one, because it alone pays the fee of a cancelling transaction. */
function largestFirst({ coins }: Plan): Coin[] {
  return coins.toSorted((one, other) => (other.amount > one.amount ? 1 : -1));
}
