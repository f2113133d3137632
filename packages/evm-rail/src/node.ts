import type { NodeView } from "@disburse/chain-rail/rules/finality.ts";
import {
  type Address,
  createPublicClient,
  type Hash,
  type Hex,
  http,
  isAddressEqual,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  TransactionReceiptNotFoundError,
} from "viem";
import type { NodeSnapshot } from "./agreed-snapshot.ts";
import { controlsReader, type TokenControls } from "./issuer-controls.ts";

/** The token functions and events that the rail uses (ERC-20). */
export const tokenAbi = parseAbi([
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address owner) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

/** The time limit of a call. A node that takes longer counts as failed. */
const timeoutMs = 4_000;
/** The maximum number of blocks by which a reorganisation may move a transaction back. */
const reorgMax = 128;
/** The maximum number of calls in one request. */
const batchSize = 50;

/** The form of an order on the chain: a token call or a transfer of the coin. */
export type Payment = {
  readonly to: Address;
  /** Amount in units of the chain. */
  readonly units: bigint;
  /** The token's contract. `undefined` for the chain's own coin. */
  readonly token: Address | undefined;
};

/** One node of a chain. Every call rejects if the node does not respond. */
export type EvmNode = ReturnType<typeof connectNode>;

/** Opens a node. Connects only when the first call is made. */
export function connectNode(url: string, wallet: Address, finality: "finalized" | number) {
  const transport = http(url, { batch: { batchSize }, timeout: timeoutMs, retryCount: 0 });
  const client = createPublicClient({ transport });
  const controls = controlsReader(client);
  const finalHeight = async (height: bigint): Promise<bigint> => {
    if (finality !== "finalized") {
      const final = height - BigInt(finality) + 1n;
      return final < 0n ? 0n : final;
    }
    return (await client.getBlock({ blockTag: "finalized" })).number;
  };
  return {
    chainId: () => client.getChainId(),
    decimals: (token: Address) =>
      client.readContract({ address: token, abi: tokenAbi, functionName: "decimals" }),
    send: (raw: Hex) => client.sendRawTransaction({ serializedTransaction: raw }),
    ...controls,
    snapshot: async (tokens: ReadonlyMap<Address, TokenControls>): Promise<NodeSnapshot> => {
      // A token that does not tell must not stop payments in others. Its own wait for clearance.
      const blocks = [...tokens].map(async ([token, each]) => {
        const isBlocked = await controls.isBlocked(token, each, wallet).catch(() => false);
        return isBlocked ? [token] : [];
      });
      const [state, blocked] = await Promise.all([
        snapshotAt(client, wallet, finalHeight, [...tokens.keys()]),
        Promise.all(blocks),
      ]);
      return { ...state, blocked: blocked.flat() };
    },
    /** Returns a transaction of the wallet if it is in a block. */
    minedTransaction: async (id: Hash, payment: Payment | undefined): Promise<NodeView> => {
      const [receipt, head] = await Promise.all([
        client.getTransactionReceipt({ hash: id }).catch((error: unknown) => {
          if (error instanceof TransactionReceiptNotFoundError) return undefined;
          throw error;
        }),
        client.getBlock({ blockTag: "latest" }),
      ]);
      if (receipt === undefined) return "absent";
      const final = await finalHeight(head.number);
      // A receipt may name a block that has left the chain. Such a receipt is ignored.
      const block = await client.getBlock({ blockNumber: receipt.blockNumber });
      if (block.hash !== receipt.blockHash) return "absent";
      const succeeded = receipt.status === "success";
      return {
        id,
        height: Number(receipt.blockNumber),
        block: receipt.blockHash,
        succeeded,
        received: succeeded ? receivedBy(receipt.logs, wallet, payment) : undefined,
        isFinal: receipt.blockNumber <= final,
      };
    },
    /**
     * Returns the transaction that used a nonce in the blocks from after `since` to the latest
     * final block.
     */
    takerOf: async (nonce: number, since: number) => {
      const head = await client.getBlock({ blockTag: "latest" });
      return findTaker(client, wallet, nonce, { since, final: await finalHeight(head.number) });
    },
  };
}

async function snapshotAt(
  client: PublicClient,
  wallet: Address,
  finalHeight: (height: bigint) => Promise<bigint>,
  tokens: readonly Address[],
): Promise<Omit<NodeSnapshot, "blocked">> {
  const block = await client.getBlock({ blockTag: "latest" });
  const final = await finalHeight(block.number);
  const balances = tokens.map(async (token) => {
    const call = { address: token, abi: tokenAbi, functionName: "balanceOf" } as const;
    return [token, await client.readContract({ ...call, args: [wallet] })] as const;
  });
  const [mined, pending, finalNonce, coin, found] = await Promise.all([
    client.getTransactionCount({ address: wallet, blockTag: "latest" }),
    client.getTransactionCount({ address: wallet, blockTag: "pending" }),
    client.getTransactionCount({ address: wallet, blockNumber: final }),
    client.getBalance({ address: wallet }),
    Promise.all(balances),
  ]);
  return {
    height: Number(block.number),
    mined,
    pending: Math.max(mined, pending),
    final: finalNonce,
    coin,
    baseFee: block.baseFeePerGas ?? 0n,
    tokens: new Map(found),
  };
}

/** Finds the block in which the nonce was used, and the transaction in that block. */
async function findTaker(
  client: PublicClient,
  wallet: Address,
  nonce: number,
  { since, final }: { readonly since: number; readonly final: bigint },
) {
  const isTakenAt = async (blockNumber: bigint) =>
    (await client.getTransactionCount({ address: wallet, blockNumber })) > nonce;
  let [low, high] = [BigInt(Math.max(0, since - reorgMax)), final];
  if (high < low || !(await isTakenAt(high))) return undefined;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (await isTakenAt(middle)) high = middle;
    else low = middle + 1n;
  }
  const block = await client.getBlock({ blockNumber: high, includeTransactions: true });
  return block.transactions.find(
    (each) => isAddressEqual(each.from, wallet) && each.nonce === nonce,
  );
}

/**
 * Returns the amount that a successful transaction moved. Returns `undefined` if no log of the
 * token names the recipient.
 */
function receivedBy(
  logs: Parameters<typeof parseEventLogs>[0]["logs"],
  wallet: Address,
  payment: Payment | undefined,
): bigint | undefined {
  if (payment === undefined) return undefined;
  const { to, units, token } = payment;
  // A successful transfer of the coin always moves the amount in its signed bytes.
  if (token === undefined) return units;
  const moved = parseEventLogs({ abi: tokenAbi, eventName: "Transfer", logs }).filter(
    ({ address, args }) =>
      isAddressEqual(address, token) &&
      isAddressEqual(args.from, wallet) &&
      isAddressEqual(args.to, to),
  );
  if (moved.length === 0) return undefined;
  return moved.reduce((sum, { args }) => sum + args.value, 0n);
}
