import {
  agreedOn,
  type NodeView,
  type Verdict,
  verdictOf,
  verdictOfAll,
} from "@disburse/chain-rail/rules/finality.ts";
import { callAllOf } from "@disburse/chain-rail/wallet/node-calls.ts";
import { leastOf } from "@disburse/kernel/bigint.ts";
import { connectNode, type SendReply } from "./nodes/node.ts";
import { agreedCoins } from "./rules/coins.ts";
import type { BitcoinSettings } from "./settings.ts";
import type { Coin, WalletKey } from "./wallet-key.ts";

/** The state of the wallet and its chain on which enough nodes agree. */
export type Snapshot = {
  /** The chain height that enough nodes have reached. */
  readonly height: number;
  /** Coins with enough confirmations on enough nodes, oldest first. */
  readonly coins: readonly Coin[];
  /** The sum of all coins, including unconfirmed ones, by the node with the lowest sum. */
  readonly balance: bigint;
  /** Spends of the wallet's coins that at least one node reports. */
  readonly sends: readonly string[];
  /** A later block for the next snapshot, if the nodes agree on one. */
  readonly since: string | undefined;
  readonly estimates: readonly bigint[];
};

export type BitcoinChain = ReturnType<typeof openBitcoinChain>;

/** Smaller coins are ignored. Anybody can send them, and they cost more than they are worth. */
const coinMin = 10_000n;

/** Opens the nodes of a wallet on the chain. It makes no decision about money. */
export function openBitcoinChain(
  settings: BitcoinSettings,
  key: WalletKey,
  deps: Parameters<typeof callAllOf>[1],
) {
  const { nodes: configured, finality, watch_blocks: depth, fee_target_blocks: target } = settings;
  const { agreeing = configured.length } = settings;
  const nodes = configured.map((each) => connectNode(each, key));
  const callAll = callAllOf(nodes, deps);
  /** Throws if fewer nodes than must agree did this. */
  const enoughOf = <T>(results: readonly (T | undefined)[], did: string): T[] => {
    const given = results.filter((each) => each !== undefined);
    if (given.length < agreeing) throw new Error(`fewer than ${agreeing} nodes ${did}`);
    return given;
  };
  const verdictOn = async (id: string): Promise<Verdict> => {
    const views: NodeView[] = await callAll((node) => node.minedTransaction(id, finality));
    return verdictOf(views, agreeing);
  };
  return {
    /** The chain and the wallet on it: `main:bc1q…`. Stored with each transfer. */
    wallet: `${settings.chain}:${key.address}`,
    /** Rejects if too few nodes respond, or have the wallet's chain and descriptor. */
    check: async (): Promise<void> => {
      const checked = await callAll((node) => node.check(settings.chain));
      enoughOf(checked, "have the wallet's chain and descriptor");
    },
    /** Returns a final block on which the nodes agree. Later spends must be stored transactions. */
    firstBlock: async (): Promise<string> => {
      const heights = enoughOf(await callAll((node) => node.height()), "returned their height");
      const least = heights.toSorted((one, other) => other - one)[agreeing - 1] ?? 0;
      const final = Math.max(0, least - finality);
      const block = agreedOn(await callAll((node) => node.blockAt(final)), agreeing);
      if (block === undefined)
        throw new Error(`fewer than ${agreeing} nodes agree on a final block`);
      return block;
    },
    snapshot: async (since: string): Promise<Snapshot> => {
      const all = await callAll((node) => node.snapshot(since, depth, target));
      const given = enoughOf(all, "returned the chain's state").toSorted(
        (one, other) => other.height - one.height,
      );
      const sums = given.map((each) => each.coins.reduce((sum, { amount }) => sum + amount, 0n));
      const coins = given.map((each) => each.coins);
      return {
        height: given[agreeing - 1]?.height ?? 0,
        coins: agreedCoins(coins, agreeing, finality).filter(({ amount }) => amount >= coinMin),
        balance: leastOf(sums[0] ?? 0n, ...sums.slice(0, agreeing)),
        sends: [...new Set(given.flatMap((each) => each.sends))],
        since: agreedOn(
          given.map((each) => each.since),
          agreeing,
        ),
        estimates: given.flatMap(({ estimate }) => estimate ?? []),
      };
    },
    /** Combines the nodes' reports on all variants of a batch. */
    verdict: async (ids: readonly string[]): Promise<Verdict> =>
      verdictOfAll(await Promise.all(ids.map(verdictOn))),
    /** Returns a transaction of the wallet if it is final and enough nodes report the same bytes. */
    finalTransaction: async (id: string) => {
      const verdict = await verdictOn(id);
      if (verdict.kind !== "final") return undefined;
      const raw = await callAll((node) => node.rawTransaction(id));
      const agreed = agreedOn(
        raw.map((each) => each && Buffer.from(each).toString("hex")),
        agreeing,
      );
      if (agreed === undefined) return undefined;
      const { height, block } = verdict.transaction;
      return { raw: Uint8Array.from(Buffer.from(agreed, "hex")), height, block };
    },
    /** Returns true if enough nodes have the transaction in their mempools. */
    isPending: async (id: string): Promise<boolean> => {
      const found = await callAll((node) => node.isInMempool(id));
      return found.filter((each) => each === true).length >= agreeing;
    },
    /** Sends the bytes to every node. Returns the replies of the nodes that responded. */
    send: async (raw: Uint8Array): Promise<SendReply[]> => {
      const replies = await callAll((node) => node.send(raw));
      return replies.filter((each) => each !== undefined);
    },
  };
}
