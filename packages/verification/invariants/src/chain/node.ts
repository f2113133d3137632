/** A transaction in a block. Addresses are in lower case. */
export type Mined = {
  readonly hash: string;
  readonly succeeded: boolean;
  readonly to: string;
  readonly value: bigint;
  readonly moves: readonly Move[];
};

/** A token transfer (ERC-20 `Transfer` event). */
export type Move = {
  readonly hash: string;
  readonly contract: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
};

export type Node = ReturnType<typeof openNode>;

type Log = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: string;
};

/** keccak-256 of `Transfer(address,address,uint256)`. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const decimalsCall = "0x313ce567";
/** Blocks per query for logs, a limit of common providers. */
const logBlocks = 2_000;
const timeoutMs = 30_000;

/** Opens a node. Errors omit the URL, which may contain a key. */
export function openNode(url: string) {
  const decimals = new Map<string, number>();
  let requestId = 0;
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    requestId += 1;
    const body = JSON.stringify({ jsonrpc: "2.0", id: requestId, method, params });
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { method: "POST", headers, body, signal }).catch(
      () => undefined,
    );
    const read = answer?.ok ? ((await answer.json()) as { result?: unknown }) : undefined;
    if (read === undefined || !("result" in read))
      throw new Error(`the node returned no result for ${method}`);
    return read.result;
  };
  const height = async () => Number(await ask("eth_blockNumber", []));
  return {
    chainId: async () => Number(await ask("eth_chainId", [])),
    /** Returns a transaction, or `undefined` if no block contains it. */
    mined: async (hash: string): Promise<Mined | undefined> => {
      const receipt = (await ask("eth_getTransactionReceipt", [hash])) as {
        readonly status: string;
        readonly logs: readonly Log[];
      } | null;
      if (receipt === null) return undefined;
      const { to, value } = (await ask("eth_getTransactionByHash", [hash])) as {
        readonly to: string | null;
        readonly value: string;
      };
      const succeeded = Number(receipt.status) === 1;
      const moves = receipt.logs.flatMap(moveOf);
      return { hash, succeeded, to: (to ?? "").toLowerCase(), value: BigInt(value), moves };
    },
    /**
     * Yields all tokens sent from a wallet since a block. Reads a limited number of blocks at a
     * time.
     */
    movesFrom: async function* (wallet: string, since: number): AsyncGenerator<Move[]> {
      const last = await height();
      for (let from = since; from <= last; from += logBlocks) {
        const [fromBlock, toBlock] = [from, Math.min(last, from + logBlocks - 1)].map(
          (block) => `0x${block.toString(16)}`,
        );
        const topics = [transferTopic, `0x${wallet.slice(2).padStart(64, "0")}`];
        yield ((await ask("eth_getLogs", [{ fromBlock, toBlock, topics }])) as Log[]).flatMap(
          moveOf,
        );
      }
    },
    decimalsOf: async (contract: string): Promise<number> => {
      const known = decimals.get(contract);
      if (known !== undefined) return known;
      const found = Number(await ask("eth_call", [{ to: contract, data: decimalsCall }, "latest"]));
      decimals.set(contract, found);
      return found;
    },
  };
}

function moveOf({ address, topics: [topic, from, to], data, transactionHash }: Log): Move[] {
  if (topic !== transferTopic || from === undefined || to === undefined) return [];
  const contract = address.toLowerCase();
  const parties = { from: addressOf(from), to: addressOf(to) };
  return [{ hash: transactionHash, contract, ...parties, value: BigInt(data) }];
}

function addressOf(topic: string): string {
  return `0x${topic.slice(-40)}`.toLowerCase();
}
