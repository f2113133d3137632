import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Address } from "@solana/kit";
import type { SvmBlock, SvmChain, SvmTransaction } from "./svm-chain.ts";

export type SolanaCall = { readonly id: unknown; readonly method: string; params?: unknown[] };

export type SolanaFault = {
  isAway?: boolean;
  delayMs?: number;
  /** The number of blocks by which the node lags behind the chain. */
  behind?: number;
  /** The node has no block with a lower slot. */
  prunedBelow?: number;
  /** The node lacks the blocks of these slots, though it has older ones. */
  missing?: readonly number[];
  /** The node keeps received transactions to itself. */
  swallows?: boolean;
  /** The code of an error with which the node answers a call, instead of its result. */
  errorOf?: (call: SolanaCall) => number | undefined;
  /** Changes the node's result of a call. */
  lie?: (call: SolanaCall, result: unknown) => unknown;
};

/** Blocks after which a block is final. A real chain has 31 or more. */
export const finality = 3;
/** Nodes keep the statuses of this many blocks in memory. Others need the history. */
const cachedBlocks = 150;
/** The maximum number of signatures in one call. */
const statusesMax = 256;
const invalidParams = -32602;
const blockNotAvailable = -32004;
const slotSkipped = -32007;
const contextNotReached = -32016;

class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type View = {
  readonly chain: SvmChain;
  readonly fault: SolanaFault;
  /** The blocks that the node has, oldest first. */
  readonly blocks: readonly SvmBlock[];
  readonly tip: SvmBlock;
  readonly final: SvmBlock;
};

type Config = {
  readonly commitment?: string;
  readonly minContextSlot?: number;
  readonly searchTransactionHistory?: boolean;
};

/**
 * Starts an HTTP server with the JSON-RPC methods of a Solana node that the rail and its tests use.
 * It is a stand-in for a node, in front of `createSvmChain`. Each node has its own faults.
 */
export async function startNodeFront(chain: SvmChain) {
  let fault: SolanaFault = {};
  const answer = (call: SolanaCall) => {
    const { lie, errorOf } = fault;
    try {
      const code = errorOf?.(call);
      if (code !== undefined) throw new RpcError(code, "the node answers with an error");
      const result = resultOf(viewOf(chain, fault), call);
      return {
        jsonrpc: "2.0",
        id: call.id,
        result: lie === undefined ? result : lie(call, result),
      };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message } = error;
      return { jsonrpc: "2.0", id: call.id, error: { code, message } };
    }
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { isAway = false, delayMs = 0 } = fault;
    if (isAway) {
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const answered = answer(JSON.parse(Buffer.concat(chunks).toString()) as SolanaCall);
    response.setHeader("content-type", "application/json");
    const asNumber = (_key: string, value: unknown) =>
      typeof value === "bigint" ? Number(value) : value;
    response.end(JSON.stringify(answered, asNumber));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    set: (next: SolanaFault): void => {
      fault = next;
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function viewOf(chain: SvmChain, fault: SolanaFault): View {
  const { behind = 0, prunedBelow = 0, missing = [] } = fault;
  const seen = chain.blocks.slice(0, Math.max(1, chain.blocks.length - behind));
  const tip = seen.at(-1) as SvmBlock;
  const final = seen[Math.max(0, seen.length - 1 - finality)] as SvmBlock;
  const blocks = seen.filter(({ slot }) => slot >= prunedBelow && !missing.includes(slot));
  return { chain, fault, blocks, tip, final };
}

function resultOf(view: View, { method, params = [] }: SolanaCall): unknown {
  const call = methods[method];
  if (call === undefined) throw new RpcError(-32601, `the stand-in has no method ${method}`);
  return call(view, params);
}

type Method = (view: View, params: readonly unknown[]) => unknown;

const methods: Readonly<Record<string, Method>> = {
  getGenesisHash: ({ chain }) => chain.genesisHash,
  getEpochInfo: (view, [config]) => {
    const { slot, height } = blockAt(view, config as Config);
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: 0,
      slotIndex: slot,
      slotsInEpoch: 432_000,
      transactionCount: 0,
    };
  },
  getMinimumBalanceForRentExemption: ({ chain }, [bytes]) =>
    chain.at(chain.tip().height).minimumBalanceForRentExemption(BigInt(bytes as number)),
  getRecentPrioritizationFees: ({ blocks }) =>
    blocks.slice(-cachedBlocks).map(({ slot }) => ({ slot, prioritizationFee: 0 })),
  getMultipleAccounts: (view, [addresses]) => {
    const runtime = view.chain.at(view.tip.height);
    const value = (addresses as Address[]).map((address) => accountOf(runtime.getAccount(address)));
    return inContext(view, value);
  },
  getLatestBlockhash: (view, [config]) => {
    const { blockhash } = blockAt(view, config as Config);
    return inContext(view, { blockhash, lastValidBlockHeight: view.chain.lastValidHeight() });
  },
  isBlockhashValid: (view, [blockhash, config]) => {
    const bank = blockAt(view, config as Config);
    const known = view.blocks.some(
      (each) => each.slot <= bank.slot && each.blockhash === blockhash,
    );
    const isValid = known && view.tip.blockhash === blockhash;
    return inContext(view, isValid, bank);
  },
  sendTransaction: ({ chain, fault }, [wire]) => {
    const raw = new Uint8Array(Buffer.from(wire as string, "base64"));
    const signature = fault.swallows === true ? "" : chain.receive(raw);
    return signature;
  },
  getSignatureStatuses: (view, [signatures, config]) => {
    const { searchTransactionHistory: search = false } = (config ?? {}) as Config;
    const oldest = search ? 0 : view.tip.height - cachedBlocks;
    if ((signatures as string[]).length > statusesMax)
      throw new RpcError(invalidParams, `Too many inputs provided; max ${statusesMax}`);
    return inContext(
      view,
      (signatures as string[]).map((signature) => {
        const found = find(view, signature);
        if (found === undefined || found.block.height < oldest) return null;
        const { slot, height } = found.block;
        const isFinal = height <= view.final.height;
        return {
          slot,
          confirmations: isFinal ? null : view.tip.height - height,
          err: found.transaction.error,
          confirmationStatus: isFinal ? "finalized" : "confirmed",
          status: {},
        };
      }),
    );
  },
  getFirstAvailableBlock: ({ blocks, tip }) => blocks[0]?.slot ?? tip.slot,
  getBlocksWithLimit: ({ blocks, final }, [from, limit]) =>
    blocks
      .filter(({ slot }) => slot >= Number(from) && slot <= final.slot)
      .slice(0, Number(limit))
      .map(({ slot }) => slot),
  getBlock: ({ blocks, final }, [slot]) => {
    const found = blocks.find((each) => each.slot === Number(slot));
    if (found === undefined) throw new RpcError(slotSkipped, `slot ${slot} was skipped`);
    if (found.slot > final.slot) throw new RpcError(blockNotAvailable, "block not available");
    const { blockhash, height } = found;
    const before = { previousBlockhash: blockhash, parentSlot: found.slot - 1 };
    return { blockhash, blockHeight: height, blockTime: null, ...before };
  },
  getTransaction: (view, [signature]) => {
    const found = find(view, signature as string);
    if (found === undefined || found.block.height > view.final.height) return null;
    const { error: err, logs: logMessages, unitsUsed, raw } = found.transaction;
    const transaction = [Buffer.from(raw).toString("base64"), "base64"];
    const meta = { err, logMessages, computeUnitsConsumed: unitsUsed };
    return { slot: found.block.slot, blockTime: null, transaction, meta };
  },
};

function blockAt({ tip, final }: View, config: Config | undefined): SvmBlock {
  // Without a commitment nodes use `finalized`, and clients then leave it out.
  const { commitment = "finalized" } = config ?? {};
  const block = commitment === "finalized" ? final : tip;
  if (config?.minContextSlot !== undefined && block.slot < config.minContextSlot) {
    throw new RpcError(contextNotReached, "minimum context slot has not been reached");
  }
  return block;
}

function inContext<T>({ tip }: View, value: T, { slot }: { readonly slot: number } = tip) {
  return { context: { apiVersion: "2.2.0", slot }, value };
}

function find({ blocks }: View, signature: string) {
  for (const block of blocks) {
    const transaction = block.transactions.find((each) => each.signature === signature);
    if (transaction !== undefined)
      return { block, transaction } as {
        readonly block: SvmBlock;
        readonly transaction: SvmTransaction;
      };
  }
  return undefined;
}

function accountOf(account: ReturnType<ReturnType<SvmChain["at"]>["getAccount"]>) {
  if (!account.exists || account.lamports === 0n) return null;
  const { programAddress: owner, lamports, executable, data, space } = account;
  const bytes = Buffer.from(data).toString("base64");
  return { owner, lamports, executable, data: [bytes, "base64"], rentEpoch: 0, space };
}
