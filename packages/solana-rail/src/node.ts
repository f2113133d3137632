import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  createSolanaRpc,
  getBase64Encoder,
  isSolanaError,
  type Signature as SignatureText,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
} from "@solana/kit";
import type { AccountState } from "./rules/clearance.ts";
import { isLate, type NodeView, type Signature, viewOfAbsent } from "./rules/outcome.ts";

/** The time limit of a call. A node that takes longer counts as failed. */
const timeoutMs = 4_000;
/** Codes of a node that has removed a block, or has none at the slot. */
const missingBlock: readonly number[] = [
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
];
/**
 * The maximum number of blocks that one search for a signature covers. A transaction can be in some
 * 200 blocks after the one from which it was signed.
 */
const searchedBlocksMax = 2_000;
/** The maximum number of signatures in one call that nodes accept. */
const statusesMax = 256;

/** A block as `finalized` by a node. */
export type FinalBlock = { readonly slot: number; readonly height: number };

/** One node of the chain. Every call rejects if the node does not respond. */
export type SolanaNode = ReturnType<typeof connectNode>;

type Rpc = ReturnType<typeof createSolanaRpc>;

const options = () => ({ abortSignal: AbortSignal.timeout(timeoutMs) });
const finalized = { commitment: "finalized" } as const;

/** Opens a node. Connects only when the first call is made. */
export function connectNode(url: string) {
  const rpc = createSolanaRpc(url);
  return {
    genesisHash: async (): Promise<string> => rpc.getGenesisHash().send(options()),
    rentExempt: async (bytes: bigint): Promise<bigint> =>
      rpc.getMinimumBalanceForRentExemption(bytes).send(options()),
    /** Returns the epoch of the newest final block. A later transaction is in none before. */
    epoch: async (): Promise<bigint> => (await rpc.getEpochInfo(finalized).send(options())).epoch,
    recentFees: async (wallet: Address): Promise<readonly bigint[]> => {
      const fees = await rpc.getRecentPrioritizationFees([wallet]).send(options());
      return fees.map(({ prioritizationFee }) => prioritizationFee);
    },
    accounts: async (
      addresses: readonly string[],
    ): Promise<ReadonlyMap<string, AccountState | undefined>> => {
      const asked = { encoding: "base64", commitment: "confirmed" } as const;
      const { value } = await rpc
        .getMultipleAccounts(addresses as Address[], asked)
        .send(options());
      return new Map(addresses.map((each, at) => [each, accountOf(value[at])]));
    },
    /** Returns the newest final block hash. */
    blockhash: async (): Promise<Blockhash> => {
      const { value } = await rpc.getLatestBlockhash(finalized).send(options());
      return value.blockhash;
    },
    /**
     * Returns a final block of the node that is not older than a block hash. Returns `undefined` if
     * the node does not know the hash, or if the hash is no longer valid.
     */
    blockKnowing: async (blockhash: Blockhash): Promise<FinalBlock | undefined> => {
      const { context, value } = await rpc.isBlockhashValid(blockhash, finalized).send(options());
      return value ? finalBlock(rpc, context.slot) : undefined;
    },
    send: async (raw: Uint8Array): Promise<void> => {
      const wire = Buffer.from(raw).toString("base64") as Base64EncodedWireTransaction;
      // Without the node's simulation a failing transfer reaches a block, which proves its result.
      const how = { encoding: "base64", skipPreflight: true, maxRetries: 0n } as const;
      await rpc.sendTransaction(wire, how).send(options());
    },
    /** Returns the node's reports on signatures, in their order. */
    views: async (signatures: readonly Signature[]): Promise<NodeView[]> => {
      // The block must be read before the search, so that the search covers it.
      const final = await finalBlock(rpc);
      const late = signatures.filter((each) => isLate(each, final));
      const cached = await statusesOf(rpc, signatures, false);
      const history = await statusesOf(rpc, late, true);
      const searches = await searchesOf(
        rpc,
        late.filter(({ id }) => !history.found.has(id)),
      );
      return signatures.map((each) => {
        const view = history.found.get(each.id) ?? cached.found.get(each.id);
        if (view !== undefined) return view;
        if (!isLate(each, final)) return { kind: "absent" };
        const search = searches.get(each.id);
        if (search === undefined) return undefined;
        return viewOfAbsent(each, { final, searchedTo: history.searchedTo, ...search });
      });
    },
  };
}

async function finalBlock(rpc: Rpc, minContextSlot?: bigint): Promise<FinalBlock> {
  const asked = { ...finalized, ...(minContextSlot !== undefined && { minContextSlot }) };
  const { absoluteSlot, blockHeight } = await rpc.getEpochInfo(asked).send(options());
  return { slot: Number(absoluteSlot), height: Number(blockHeight) };
}

async function statusesOf(
  rpc: Rpc,
  signatures: readonly Signature[],
  searchTransactionHistory: boolean,
) {
  const found = new Map<string, NodeView>();
  let searchedTo = Number.POSITIVE_INFINITY;
  for (let from = 0; from < signatures.length; from += statusesMax) {
    const ids = signatures.slice(from, from + statusesMax).map(({ id }) => id as SignatureText);
    const { context, value } = await rpc
      .getSignatureStatuses(ids, { searchTransactionHistory })
      .send(options());
    searchedTo = Math.min(searchedTo, Number(context.slot));
    for (const [at, id] of ids.entries()) {
      const status = value[at];
      if (status === undefined) throw new Error("the node's reports are incomplete");
      if (status === null) continue;
      const error = status.err === null ? undefined : errorText(status.err);
      const isFinal = status.confirmationStatus === "finalized";
      found.set(id, { kind: "found", slot: Number(status.slot), error, isFinal });
    }
  }
  return { found, searchedTo };
}

/**
 * Returns what the node still has of the blocks that a search for each signature covered. A
 * signature is missing if the node answered with an error, for example because of its rate limit.
 */
async function searchesOf(rpc: Rpc, absent: readonly Signature[]) {
  const complete = new Map<string, boolean>();
  for (const each of absent) {
    try {
      complete.set(each.id, await hasAllBlocks(rpc, each));
    } catch (error) {
      // A node that does not respond must not be asked for each signature.
      if (!isSolanaError(error)) throw error;
    }
  }
  // A node may remove old blocks at any time. What it has after the search, it has searched.
  const firstSlot =
    complete.size === 0 ? 0 : Number(await rpc.getFirstAvailableBlock().send(options()));
  return new Map([...complete].map(([id, isComplete]) => [id, { firstSlot, isComplete }]));
}

/** Returns true if the node has every block in which the transaction can be. */
async function hasAllBlocks(rpc: Rpc, { sinceSlot, lastHeight }: Signature): Promise<boolean> {
  const since = BigInt(sinceSlot);
  const from = await heightOf(rpc, since);
  if (from === undefined) return false;
  const count = lastHeight - from + 1;
  if (count < 1 || count > searchedBlocksMax) return false;
  const slots = await rpc.getBlocksWithLimit(since, count, finalized).send(options());
  const last = slots.at(-1);
  // A gap would move the last block past the height.
  return slots[0] === since && last !== undefined && (await heightOf(rpc, last)) === lastHeight;
}

/** Returns `undefined` if the node does not have the block. */
async function heightOf(rpc: Rpc, slot: bigint): Promise<number | undefined> {
  try {
    const asked = { ...finalized, transactionDetails: "none", rewards: false } as const;
    const version = { maxSupportedTransactionVersion: 0 } as const;
    const block = await rpc.getBlock(slot, { ...asked, ...version }).send(options());
    return block === null ? undefined : Number(block.blockHeight);
  } catch (error) {
    if (isSolanaError(error) && missingBlock.some((code) => error.context.__code === code))
      return undefined;
    throw error;
  }
}

function accountOf(
  account:
    | {
        readonly owner: string;
        readonly lamports: bigint;
        readonly executable: boolean;
        readonly data: readonly [string, string];
      }
    | null
    | undefined,
): AccountState | undefined {
  if (account === null || account === undefined) return undefined;
  const { owner, lamports, executable, data } = account;
  const bytes = new Uint8Array(getBase64Encoder().encode(data[0]));
  return { owner, lamports, isProgram: executable, data: bytes };
}

/** Returns a transaction's error as text: `InstructionError 3 Custom 17`. */
function errorText(error: unknown): string {
  const parts = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(parts);
    if (typeof value !== "object" || value === null) return [String(value)];
    return Object.entries(value).flatMap(([name, inner]) => [name, ...parts(inner)]);
  };
  return parts(error).join(" ");
}
