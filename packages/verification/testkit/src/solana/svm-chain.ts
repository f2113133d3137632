import {
  type Address,
  getBase58Decoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  lamports,
} from "@solana/kit";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";

/** A transaction in a block. `error` has the form that nodes report; `null` if it succeeded. */
export type SvmTransaction = {
  readonly signature: string;
  readonly raw: Uint8Array;
  readonly error: unknown;
  readonly logs: readonly string[];
  readonly unitsUsed: bigint;
};

export type SvmBlock = {
  readonly slot: number;
  readonly height: number;
  readonly blockhash: string;
  readonly transactions: readonly SvmTransaction[];
};

/** A state has more than a megabyte, so only the newest are kept for forks and lagging nodes. */
const statesMax = 16;

/** Blocks after which a block hash is no longer valid. */
export const lifetimeBlocks = 150;
/** The genesis block's slot. Some slots before it have no block, as on a real chain. */
const firstSlot = 100;

export type SvmChain = ReturnType<typeof createSvmChain>;

/**
 * Creates a chain of blocks on the real Solana runtime, in this process. It is a stand-in: the
 * runtime executes transactions, checks signatures and block hashes and refuses duplicates, but
 * blocks, slots and finality are this file's. Every third slot has no block.
 */
export function createSvmChain() {
  let svm = new LiteSVM().withTransactionHistory(100_000n);
  const genesis = svm.latestBlockhash();
  let hashHeight = 0;
  let pending = new Map<string, Uint8Array>();
  const first = { slot: firstSlot, height: 0, blockhash: svm.latestBlockhash(), transactions: [] };
  const blocks: SvmBlock[] = [first];
  const tip = (): SvmBlock => blocks.at(-1) as SvmBlock;
  /** The states after blocks that changed them, oldest first. */
  let states = [{ height: 0, bytes: svm.toBytes() }];
  const keepState = (): void => {
    const { height } = tip();
    const earlier = states.filter((each) => each.height < height);
    states = [...earlier, { height, bytes: svm.toBytes() }].slice(-statesMax);
  };
  const execute = (raw: Uint8Array): SvmTransaction | undefined => {
    const transaction = getTransactionDecoder().decode(raw);
    const signature = getSignatureFromTransaction(transaction);
    const result = svm.sendTransaction(transaction);
    const isFailed = result instanceof FailedTransactionMetadata;
    const meta = isFailed ? result.meta() : result;
    const error = isFailed ? transactionError(result.err()) : null;
    if (error === undefined) return undefined;
    const [logs, unitsUsed] = [meta.logs(), meta.computeUnitsConsumed()];
    return { signature, raw, error, logs, unitsUsed };
  };
  const mineOne = (): void => {
    const { slot, height } = tip();
    const next = { slot: slot + (slot % 3 === 2 ? 2 : 1), height: height + 1 };
    svm.warpToSlot(BigInt(next.slot));
    const transactions = [...pending.values()].flatMap((raw) => execute(raw) ?? []);
    pending = new Map();
    if (next.height - hashHeight >= lifetimeBlocks) {
      svm.expireBlockhash();
      hashHeight = next.height;
    }
    const isChanged = transactions.length > 0 || hashHeight === next.height;
    blocks.push({ ...next, blockhash: svm.latestBlockhash(), transactions });
    if (isChanged) keepState();
  };
  const stateOf = (height: number): Uint8Array => {
    const found = states.findLast((each) => each.height <= height) ?? states[0];
    if (found === undefined) throw new Error("the chain has no state");
    return found.bytes;
  };
  return {
    genesisHash: genesis as string,
    blocks: blocks as readonly SvmBlock[],
    tip,
    /** The height up to which the current block hash is valid. */
    lastValidHeight: () => hashHeight + lifetimeBlocks,
    /** Receives a transaction. The next block contains it if the runtime accepts it then. */
    receive: (raw: Uint8Array): string => {
      const signature = getSignatureFromTransaction(getTransactionDecoder().decode(raw));
      pending.set(signature, raw);
      return signature;
    },
    pending: () => [...pending.keys()],
    mine: (count = 1): void => {
      for (let at = 0; at < count; at += 1) mineOne();
    },
    /** Removes the newest blocks. Their transactions are not received again. */
    fork: (depth: number): void => {
      blocks.splice(-depth);
      pending = new Map();
      states = states.filter(({ height }) => height <= tip().height);
      svm = LiteSVM.fromBytes(stateOf(tip().height));
      svm.warpToSlot(BigInt(tip().slot));
    },
    /** Returns the runtime with the state of a height, for reads. */
    at: (height: number): LiteSVM =>
      height >= tip().height ? svm : LiteSVM.fromBytes(stateOf(height)),
    /** Changes the state outside of blocks, as other users of the chain do. */
    change: <T>(act: (runtime: LiteSVM) => T): T => {
      const result = act(svm);
      keepState();
      return result;
    },
    airdrop: (to: Address, amount: bigint): void => {
      svm.airdrop(to, lamports(amount));
      keepState();
    },
  };
}

/** Returns an address that nobody has the key of, for tests. */
export function testAddress(seed: number): Address {
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setUint32(0, seed);
  return getBase58Decoder().decode(bytes) as Address;
}

/**
 * Returns an error as nodes report it. Returns `undefined` for an error before the execution, such
 * as an unknown block hash or a duplicate: no block contains the transaction then.
 */
function transactionError(error: ReturnType<FailedTransactionMetadata["err"]>): unknown {
  if (typeof error === "number") return undefined;
  if ("accountIndex" in error) {
    return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  }
  if (!("err" in error)) return undefined;
  const inner = error.err();
  const isCustom = typeof inner === "object" && "code" in inner;
  return { InstructionError: [error.index, isCustom ? { Custom: inner.code } : "ProgramError"] };
}
