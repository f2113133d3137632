/** An assigned nonce. Its transfer may not have stored the nonce yet. */
export type Assignment = { readonly nonce: number; readonly key: string };

/** The nonces that a wallet has assigned. */
export type WalletNonces = {
  /** The lowest nonce that no transfer has. */
  readonly next: number;
  /** Assigned nonces. Their transfers may not have stored them yet. */
  readonly open: readonly Assignment[];
};

/**
 * Assigns nonces to waiting transfers, in order. A key in `open` already has a nonce, so it gets
 * none. After the assignment, at most `unminedMax` nonces of the wallet are unmined. Nonces below
 * `mined` are mined according to the node that is furthest behind.
 */
export function assignNonces(
  { next, open }: WalletNonces,
  waiting: readonly string[],
  mined: number,
  unminedMax: number,
): readonly Assignment[] {
  const taken = new Set(open.map(({ key }) => key));
  const free = Math.max(0, mined + unminedMax - next);
  const keys = [...new Set(waiting)].filter((key) => !taken.has(key)).slice(0, free);
  return keys.map((key, at) => ({ nonce: next + at, key }));
}

/** The amount and fee of a transfer. */
export type Cost = {
  readonly key: string;
  readonly asset: string;
  readonly amount: bigint;
  /** The maximum fee, in the chain's own coin. */
  readonly fee: bigint;
};

/** The balances of a wallet, in units of the chain. */
export type Funds = {
  /** The currency of the chain's own coin; `undefined` if Disburse does not pay it. */
  readonly native: string | undefined;
  readonly coin: bigint;
  /** Token balances by currency. The chain's own coin is not included. */
  readonly tokens: ReadonlyMap<string, bigint>;
};

/** Returns the funds that remain after the transfers under way. The result may be negative. */
export function fundsAfter(funds: Funds, underWay: readonly Cost[]): Funds {
  let { coin } = funds;
  const tokens = new Map(funds.tokens);
  for (const { asset, amount, fee } of underWay) {
    coin -= fee;
    if (asset === funds.native) coin -= amount;
    else tokens.set(asset, (tokens.get(asset) ?? 0n) - amount);
  }
  return { native: funds.native, coin, tokens };
}

/** Returns the shortage that blocks a transfer. Returns `undefined` if the wallet can pay it. */
export function shortage(funds: Funds, cost: Omit<Cost, "key">): "gas" | "balance" | undefined {
  if (funds.coin < cost.fee) return "gas";
  const left = fundsAfter(funds, [{ ...cost, key: "" }]);
  if (left.coin < 0n) return "balance";
  return (left.tokens.get(cost.asset) ?? 0n) < 0n ? "balance" : undefined;
}

/**
 * Returns the waiting transfers that the funds cover, in order. If the funds do not cover a
 * transfer, later transfers of the same currency are left out too. Otherwise small payouts could
 * delay a large one forever.
 */
export function affordable(funds: Funds, waiting: readonly Cost[]): readonly Cost[] {
  const short = new Set<string>();
  const covered: Cost[] = [];
  let left = funds;
  for (const cost of waiting) {
    if (short.has(cost.asset)) continue;
    if (shortage(left, cost) === undefined) {
      covered.push(cost);
      left = fundsAfter(left, [cost]);
    } else {
      short.add(cost.asset);
    }
  }
  return covered;
}
