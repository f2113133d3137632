/** A nonce that was given to a transfer which may not know it yet. */
export type Assignment = { readonly nonce: number; readonly key: string };

/** How far a wallet has given its nonces away. */
export type WalletNonces = {
  /** The lowest nonce that no transfer has. */
  readonly next: number;
  /** Those whose transfers may not have stored them yet. */
  readonly open: readonly Assignment[];
};

/**
 * The nonces of waiting transfers, in their order. A key in `open` has one already and gets none.
 * At most `unminedMax` nonces of the wallet are unmined then; those below `mined` are mined, by the
 * node that has seen least.
 */
export function assignNonces(
  { next, open }: WalletNonces,
  waiting: readonly string[],
  mined: number,
  unminedMax: number,
): readonly Assignment[] {
  const taken = new Set(open.map(({ key }) => key));
  const room = Math.max(0, mined + unminedMax - next);
  const keys = [...new Set(waiting)].filter((key) => !taken.has(key)).slice(0, room);
  return keys.map((key, at) => ({ nonce: next + at, key }));
}

/** What a transfer takes out of a wallet. */
export type Cost = {
  readonly key: string;
  /** What it pays, by its currency. */
  readonly asset: string;
  readonly amount: bigint;
  /** The most that its fee can be, in the chain's own coin. */
  readonly fee: bigint;
};

/** What a wallet has, in units of the chain. */
export type Funds = {
  /** The currency of the chain's own coin; `undefined` where it is none of ours. */
  readonly native: string | undefined;
  readonly coin: bigint;
  /** By currency, without the coin. */
  readonly tokens: ReadonlyMap<string, bigint>;
};

/** What is left of the funds after transfers that are under way; may be below zero. */
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

/** What a wallet has too little of for a transfer; `undefined`: it can pay. */
export function shortage(funds: Funds, cost: Omit<Cost, "key">): "gas" | "balance" | undefined {
  if (funds.coin < cost.fee) return "gas";
  const left = fundsAfter(funds, [{ ...cost, key: "" }]);
  if (left.coin < 0n) return "balance";
  return (left.tokens.get(cost.asset) ?? 0n) < 0n ? "balance" : undefined;
}

/**
 * The waiting transfers that the funds cover, in their order. Where one is not covered, none of the
 * same currency overtakes it: a large payout would wait for ever behind small ones.
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
