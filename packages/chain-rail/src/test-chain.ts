import { createHash } from "node:crypto";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import type { Preflight } from "@disburse/rail/rail.ts";
import type { Chain, Order } from "./chain.ts";
import type { MinedTransaction } from "./rules/finality.ts";

type Transaction = {
  readonly nonce: number;
  readonly order: Order | undefined;
  readonly max: bigint;
};
type Block = { readonly hash: string; readonly mined: readonly string[] };

/** Creates a chain in memory, with one wallet's transactions, blocks and reorganisations. */
export function createTestChain(finality: number) {
  const transactions = new Map<string, Transaction>();
  const pool = new Set<string>();
  const blocks: Block[] = [{ hash: "genesis", mined: [] }];
  let blockCount = 0;
  /** The recipients' results of the issuer's checks. Others pass. */
  const clearances = new Map<string, Preflight>();
  const knobs = { baseFee: 10n, isAway: false, reverts: false, coin: 10n ** 9n, token: 10n ** 12n };
  const minedBy = (height: number) =>
    blocks.slice(0, height + 1).flatMap(({ mined }) => mined.map((id) => transactions.get(id)));
  const head = () => blocks.length - 1;
  const finalHeight = () => Math.max(0, head() - finality + 1);
  const add = (transaction: Transaction): string => {
    const text = `${transaction.nonce} ${transaction.order?.to} ${transaction.max}`;
    const id = createHash("sha256").update(text).digest("hex");
    transactions.set(id, transaction);
    return id;
  };
  const minedTransaction = (id: string): MinedTransaction | "absent" => {
    const height = blocks.findIndex(({ mined }) => mined.includes(id));
    const block = blocks[height];
    if (block === undefined) return "absent";
    const paid = transactions.get(id)?.order?.amount;
    const received = knobs.reverts ? undefined : paid;
    return {
      ...{ id, height, block: block.hash, succeeded: !knobs.reverts, received },
      isFinal: height <= finalHeight(),
    };
  };
  const respond = async <T>(value: () => T): Promise<T> => {
    if (knobs.isAway) throw new Error("no node answers");
    return value();
  };
  const chain: Chain = {
    wallet: "1:test",
    check: async () => undefined,
    snapshot: () =>
      respond(() => {
        const mined = minedBy(head()).length;
        return {
          ...{ height: head(), minedLeast: mined, minedMost: mined, pendingMost: mined },
          ...{ finalNonce: minedBy(finalHeight()).length, baseFee: knobs.baseFee },
          frozen: [],
          funds: { native: "ETH", coin: knobs.coin, tokens: new Map([["USDC_ETH", knobs.token]]) },
        };
      }),
    pays: ({ currency }) => currency === "USDC_ETH",
    isOwned: () => true,
    clearance: ({ to }) => respond(() => clearances.get(to) ?? { kind: "ok" }),
    costOf: ({ amount }, { max }) => ({ amount, fee: max }),
    cancelFee: ({ max }) => max,
    sign: async (nonce, order, { max }) => {
      const id = add({ nonce, order, max });
      return { id, raw: new TextEncoder().encode(id) };
    },
    signCancel: async (nonce, { max }) => {
      const id = add({ nonce, order: undefined, max });
      return { id, raw: new TextEncoder().encode(id) };
    },
    send: async (raw) => {
      if (!knobs.isAway) pool.add(new TextDecoder().decode(raw));
    },
    verdict: (ids) =>
      respond(() => {
        const found = ids.map(minedTransaction).filter((each) => each !== "absent");
        const [first] = found;
        if (found.length > 1) throw new Error("two transactions were mined under one nonce");
        if (first === undefined) return { kind: "unmined" };
        return first.isFinal ? { kind: "final", transaction: first } : { kind: "mined" };
      }),
    takerOf: (nonce, _since, order) =>
      respond(() => {
        const isTaker = (id: string) => transactions.get(id)?.nonce === nonce;
        const height = blocks.findIndex(({ mined }) => mined.some(isTaker));
        const block = blocks[height];
        const id = block?.mined.find(isTaker);
        if (block === undefined || id === undefined) return undefined;
        const paid = transactions.get(id)?.order?.to;
        const isSamePayment = order !== undefined && paid === order.to;
        return { id, height, block: block.hash, isSamePayment };
      }),
    amountText: (units) => formatDecimal({ units, scale: 6 }),
  };
  return {
    chain,
    knobs,
    clearances,
    /**
     * Mines a block. For each nonce in order, the block contains the transaction with the highest
     * fee.
     */
    mine: (): void => {
      const mined: string[] = [];
      const taken = minedBy(head()).length;
      for (let nonce = taken; ; nonce += 1) {
        const [dearest] = [...pool]
          .filter((id) => transactions.get(id)?.nonce === nonce)
          .filter((id) => (transactions.get(id)?.max ?? 0n) >= knobs.baseFee)
          .sort((one, other) => Number(maxOf(transactions, other) - maxOf(transactions, one)));
        if (dearest === undefined) break;
        mined.push(dearest);
        // Nodes drop all other transactions of a mined nonce.
        const others = [...pool].filter((id) => transactions.get(id)?.nonce === nonce);
        for (const id of others) if (id !== dearest) pool.delete(id);
      }
      blockCount += 1;
      blocks.push({ hash: `block-${blockCount}`, mined });
    },
    /** Replaces the newest blocks by empty ones, and drops their transactions from the pool. */
    reorganise: (depth: number): void => {
      const gone = blocks.splice(Math.max(1, blocks.length - depth));
      for (const { mined } of gone) for (const id of mined) pool.delete(id);
      for (const _block of gone) {
        blockCount += 1;
        blocks.push({ hash: `block-${blockCount}`, mined: [] });
      }
    },
    /** Simulates a use of the wallet's key outside Disburse, for the next unmined nonce. */
    useOutside: (to: string): number => {
      const nonce = minedBy(head()).length;
      const order = { currency: "USDC_ETH", amount: 1n, to };
      pool.add(add({ nonce, order, max: 10n ** 15n }));
      return nonce;
    },
    /** Returns the recipients of all payments on the chain. */
    paid: (): string[] => minedBy(head()).flatMap((each) => each?.order?.to ?? []),
    signed: () => transactions.size,
    pooled: () => pool.size,
  };
}

function maxOf(transactions: ReadonlyMap<string, Transaction>, id: string): bigint {
  return transactions.get(id)?.max ?? 0n;
}
