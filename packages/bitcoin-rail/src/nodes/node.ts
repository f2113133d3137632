import { readFile } from "node:fs/promises";
import type { NodeView } from "@disburse/chain-rail/rules/finality.ts";
import { NodeProblem } from "@disburse/chain-rail/wallet/node-calls.ts";
import { parseDecimal, rescale } from "@disburse/kernel/decimal.ts";
import { z } from "zod";
import type { NodeCoin } from "../rules/coins.ts";
import type { BitcoinChainName, WalletKey } from "../wallet-key.ts";

/** The time limit of a call. A node that takes longer counts as failed. */
const timeoutMs = 4_000;

/** The user and password of a node's RPC server, which are in a file. */
export type NodeSettings = {
  readonly url: string;
  /** A file with `user:password`, such as the node's own cookie file. */
  readonly credentials_file: string;
};

/** An error that the node itself returned. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The state of the chain and the wallet as one node reports it. */
export type NodeSnapshot = {
  readonly height: number;
  readonly coins: readonly NodeCoin[];
  /** The ids of transactions since the given block that spend coins of the wallet. */
  readonly sends: readonly string[];
  /** A later block to give next time. */
  readonly since: string;
  /** The estimated fee rate, in satoshi per virtual byte. Absent if the node has no estimate. */
  readonly estimate: bigint | undefined;
};

/** The node's reply to a transaction. It proves nothing about payments. */
export type SendReply = "accepted" | "not_replaced" | "refused";

const count = z
  .string()
  .regex(/^-?\d+$/)
  .transform(Number);
const bitcoinAmount = z.string().transform((text) => satoshiOf(text));

const unspentSchema = z.array(
  z.object({
    txid: z.string(),
    vout: count,
    amount: bitcoinAmount,
    confirmations: count,
    scriptPubKey: z.string(),
  }),
);
const sendsSchema = z.object({
  transactions: z.array(z.object({ txid: z.string(), category: z.string() })),
  lastblock: z.string(),
});
const transactionSchema = z.object({
  confirmations: count,
  blockhash: z.string().optional(),
  blockheight: count.optional(),
  hex: z.string(),
});
const infoSchema = z.object({ chain: z.string(), blocks: count });

/** JSON-RPC codes of Bitcoin Core (`src/rpc/protocol.h`). */
const codes = { notFound: -5, alreadyMined: -27 } as const;

/** Reasons for which a node keeps an earlier transaction (`src/validation.cpp`). */
const notReplaced =
  /insufficient fee|too many potential replacements|replacement-|txn-mempool-conflict|bip125/i;

/** Opens a node. Connects only when the first call is made. */
export function connectNode({ url, credentials_file: file }: NodeSettings, key: WalletKey) {
  const call = async <T extends z.ZodType>(
    schema: T,
    method: string,
    ...params: readonly unknown[]
  ): Promise<z.output<T>> => schema.parse(await callNode(url, file, method, params));
  const transaction = (id: string) =>
    unlessNotFound(call(transactionSchema, "gettransaction", id, true));
  return {
    /** Rejects if the node's chain or wallet is another one, or if the wallet can spend. */
    check: async (chain: BitcoinChainName): Promise<true> => {
      const info = await call(infoSchema, "getblockchaininfo");
      if (info.chain !== chain) throw new NodeProblem(`the node's chain is not ${chain}`);
      const wallet = await call(z.object({ private_keys_enabled: z.boolean() }), "getwalletinfo");
      if (wallet.private_keys_enabled) throw new NodeProblem("the node's wallet has private keys");
      const [derived] = await call(z.array(z.string()), "deriveaddresses", key.descriptor);
      if (derived !== key.address) throw new NodeProblem("the node derives another address");
      const watched = await call(z.object({ ismine: z.boolean() }), "getaddressinfo", key.address);
      if (!watched.ismine) throw new NodeProblem("the node's wallet does not watch the descriptor");
      return true;
    },
    blockAt: (height: number) => call(z.string(), "getblockhash", height),
    height: async () => (await call(infoSchema, "getblockchaininfo")).blocks,
    snapshot: async (since: string, depth: number, target: number): Promise<NodeSnapshot> => {
      const { blocks: height } = await call(infoSchema, "getblockchaininfo");
      const script = Buffer.from(key.script).toString("hex");
      const [unspent, sends, estimate] = await Promise.all([
        call(unspentSchema, "listunspent", 0),
        call(sendsSchema, "listsinceblock", since, depth, true, false, true),
        call(z.object({ feerate: bitcoinAmount.optional() }), "estimatesmartfee", target),
      ]);
      const own = unspent.filter(({ scriptPubKey }) => scriptPubKey === script);
      const sent = sends.transactions.filter(({ category }) => category === "send");
      return {
        height,
        coins: own.map(({ txid, vout, amount, confirmations }) => {
          return { id: `${txid}:${vout}`, amount, confirmations };
        }),
        sends: [...new Set(sent.map(({ txid }) => txid))],
        since: sends.lastblock,
        // Estimates are per 1,000 virtual bytes.
        estimate: estimate.feerate && (estimate.feerate + 999n) / 1_000n,
      };
    },
    /** Returns a transaction of the wallet if it is in a block. */
    minedTransaction: async (id: string, finality: number): Promise<NodeView> => {
      const found = await transaction(id);
      // A negative number means that another transaction spent the same coin.
      if (found?.blockhash === undefined || found.confirmations <= 0) return "absent";
      return {
        id,
        height: found.blockheight ?? 0,
        block: found.blockhash,
        succeeded: true,
        received: undefined,
        isFinal: found.confirmations >= finality,
      };
    },
    /** Returns the bytes of a transaction of the wallet. */
    rawTransaction: async (id: string) => {
      const found = await transaction(id);
      return found && Uint8Array.from(Buffer.from(found.hex, "hex"));
    },
    isInMempool: async (id: string): Promise<boolean> =>
      (await unlessNotFound(call(z.object({}), "getmempoolentry", id))) !== undefined,
    send: async (raw: Uint8Array): Promise<SendReply> => {
      try {
        // The rail bounds fees itself, so the node's own limit is off.
        const text = Buffer.from(raw).toString("hex");
        await call(z.string(), "sendrawtransaction", text, 0);
        return "accepted";
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (error.code === codes.alreadyMined) return "accepted";
        return notReplaced.test(error.message) ? "not_replaced" : "refused";
      }
    },
  };
}

async function unlessNotFound<T>(called: Promise<T>): Promise<T | undefined> {
  try {
    return await called;
  } catch (error) {
    if (error instanceof NodeError && error.code === codes.notFound) return undefined;
    throw error;
  }
}

async function callNode(
  url: string,
  file: string,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  // The node writes a new cookie each time it starts.
  const credentials = (await readFile(file, "utf8")).trim();
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "1.0", id: 1, method, params }),
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const reply = readReply(await response.text());
  if (reply === undefined)
    throw new NodeProblem(`the node returned HTTP status ${response.status} without a JSON reply`);
  const { result, error } = reply;
  if (error) throw new NodeError(Number(error.code), error.message);
  return result;
}

const replySchema = z.object({
  result: z.unknown(),
  error: z.object({ code: z.string(), message: z.string() }).nullish(),
});

/**
 * Reads a reply with its numbers as text, because amounts are decimals of bitcoin. Returns
 * `undefined` for other text: the parser's own error would show a part of it.
 */
function readReply(text: string) {
  try {
    type Context = { readonly source: string };
    const digits = (_name: string, value: unknown, context?: Context) =>
      typeof value === "number" ? context?.source : value;
    return replySchema.parse(JSON.parse(text, digits as (name: string, value: unknown) => unknown));
  } catch {
    return undefined;
  }
}

/** The digits after the point of an amount in bitcoin. */
const decimals = 8;

function satoshiOf(text: string): bigint {
  const decimal = parseDecimal(text);
  if (decimal === undefined) throw new Error("the node returned an amount that is no decimal");
  return rescale(decimal, decimals);
}
