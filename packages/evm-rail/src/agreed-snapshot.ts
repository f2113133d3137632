import type { Snapshot, Taker } from "@disburse/chain-rail/chain.ts";
import { agreedOn } from "@disburse/chain-rail/rules/finality.ts";
import { greatestOf, leastOf } from "@disburse/kernel/bigint.ts";
import { type Address, type Hex, isAddressEqual } from "viem";

/** The state of the chain and the wallet as one node reports it, at the node's own height. */
export type NodeSnapshot = {
  readonly height: number;
  readonly mined: number;
  readonly pending: number;
  /** Nonces below this one belong to final transactions. */
  readonly final: number;
  readonly baseFee: bigint;
  readonly coin: bigint;
  readonly tokens: ReadonlyMap<Address, bigint>;
  /** Tokens whose issuer has blocked the wallet. */
  readonly blocked: readonly Address[];
};

/**
 * Combines the states that nodes report. Returns `undefined` if fewer than `agreeing` nodes
 * responded. Values that allow a payment are the lowest values among the `agreeing` nodes that are
 * furthest ahead, so that one stalled node blocks nothing. Values that block payments are the
 * highest values of any node: the numbers of mined and of pending nonces.
 */
export function agreedSnapshot(
  snapshots: readonly NodeSnapshot[],
  agreeing: number,
  assets: ReadonlyMap<string, { readonly token: Address | undefined }>,
  native: string | undefined,
): Snapshot | undefined {
  const [first, ...others] = snapshots
    .toSorted((one, other) => other.height - one.height)
    .slice(0, agreeing);
  if (first === undefined || others.length + 1 < agreeing) return undefined;
  const ahead = [first, ...others];
  const least = (of: (snapshot: NodeSnapshot) => number) => Math.min(...ahead.map(of));
  const most = (of: (snapshot: NodeSnapshot) => number) => Math.max(...snapshots.map(of));
  const leastUnits = (of: (snapshot: NodeSnapshot) => bigint) =>
    leastOf(of(first), ...others.map(of));
  const tokens = [...assets].flatMap(([currency, { token }]) =>
    token === undefined
      ? []
      : [[currency, leastUnits((snapshot) => snapshot.tokens.get(token) ?? 0n)] as const],
  );
  return {
    height: least(({ height }) => height),
    minedLeast: least(({ mined }) => mined),
    minedMost: most(({ mined }) => mined),
    pendingMost: most(({ pending }) => pending),
    finalNonce: least(({ final }) => final),
    baseFee: greatestOf(first.baseFee, ...others.map(({ baseFee }) => baseFee)),
    frozen: [...assets].flatMap(([currency, { token }]) =>
      snapshots.some(({ blocked }) => token !== undefined && blocked.includes(token))
        ? [currency]
        : [],
    ),
    funds: { native, coin: leastUnits(({ coin }) => coin), tokens: new Map(tokens) },
  };
}

type Call = { readonly to: Address; readonly value: bigint; readonly data: Hex };

/** A transaction as one node reports it. */
type Shown = {
  readonly hash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Hex;
};

/**
 * Returns the final transaction that used a nonce, if enough nodes report the same one and no node
 * reports another.
 */
export function takerAmong(
  found: readonly (Shown | undefined)[],
  agreeing: number,
  call: Call | undefined,
): Taker | undefined {
  const ids = found.map((each) => each?.hash);
  const id = agreedOn(ids, agreeing);
  const shown = found.flatMap((each) => (each !== undefined && each.hash === id ? [each] : []));
  const [taker] = shown;
  if (id === undefined || taker === undefined) return undefined;
  // A single node's report of the same payment is enough to set this. The transfer then gets no
  // second nonce.
  const isSamePayment = shown.some((each) => call !== undefined && isCall(each, call));
  return { id, height: Number(taker.blockNumber), block: taker.blockHash, isSamePayment };
}

function isCall({ to, value, input }: Shown, call: Call): boolean {
  const isTo = to !== null && isAddressEqual(to, call.to);
  return isTo && value === call.value && input === call.data;
}
