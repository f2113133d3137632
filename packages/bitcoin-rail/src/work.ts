import { changeWallet } from "@disburse/chain-rail/wallet/store.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { BitcoinChain, Snapshot } from "./chain.ts";
import type { BitcoinStore, WalletDocument } from "./documents.ts";
import type { FeePolicy } from "./rules/fees.ts";
import type { Signer } from "./signer.ts";
import type { WalletKey } from "./wallet-key.ts";

export type BatchWork = {
  readonly chain: BitcoinChain;
  readonly store: BitcoinStore;
  readonly key: WalletKey;
  readonly signer: Signer;
  readonly fees: FeePolicy;
  /** The number of later blocks after which an ended batch is no longer watched. */
  readonly watchBlocks: number;
  /** The number of coins below which a batch splits its change. */
  readonly coinsWanted: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns true if a transaction is due to be sent. Called before each send. */
  readonly isSendDue: (id: string) => boolean;
  readonly onEvent: (event: BatchEvent) => void;
};

/** The state that one run has read, and that its own writes replace. */
export type Run = {
  readonly snapshot: Snapshot;
  /** Spends of the wallet's coins that this rail did not store. */
  readonly unknown: readonly string[];
  /** The wallet's document as this run last read or wrote it. */
  wallet: WalletDocument;
  /** Set if the fee of an unmined batch can't rise any more. */
  isAtBound: boolean;
};

/** Changes the wallet that a run has read. Returns `false` if another process has changed it. */
export async function changeRead(
  { store }: Pick<BatchWork, "store">,
  run: Run,
  change: Parameters<typeof changeWallet<WalletDocument>>[2],
): Promise<boolean> {
  const changed = await changeWallet(store, run.wallet, change);
  if (changed !== undefined) run.wallet = changed;
  return changed !== undefined;
}

export const batchEvents = ["bumped", "child", "cancelled", "unclear", "reorganised"] as const;
export type BatchEvent = (typeof batchEvents)[number];
