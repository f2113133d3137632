import { agreedClearance } from "@disburse/chain-rail/rules/clearance.ts";
import { agreedOn } from "@disburse/chain-rail/rules/finality.ts";
import { type CallAll, callAllOf } from "@disburse/chain-rail/wallet/node-calls.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { isUnowned } from "@disburse/forms/values/unowned-wallets.ts";
import type { Preflight } from "@disburse/rail/rail.ts";
import { address, type Blockhash, getPublicKeyFromAddress, isAddress } from "@solana/kit";
import { agreedSnapshot, readSnapshot, type Snapshot } from "./agreed-snapshot.ts";
import { connectNode, type SolanaNode } from "./node.ts";
import { clearanceOn } from "./rules/clearance.ts";
import { lifetimeOf } from "./rules/lifetime.ts";
import { type Outcome, outcomeOf, type Signature } from "./rules/outcome.ts";
import { transactionFee } from "./rules/priority-fee.ts";
import { type SolanaSettings, setting } from "./settings.ts";
import type { Signer } from "./signer.ts";
import { createTokens, type Tokens, tokenAccountOf } from "./tokens.ts";
import { computeUnits, signPayment } from "./transaction.ts";

/** The currency, amount and recipient of a transfer. `key` is the payout's id. */
export type Order = {
  readonly key: string;
  readonly currency: string;
  /** Amount in minor units of the currency. */
  readonly amount: bigint;
  /** The address of the recipient's wallet. */
  readonly to: string;
};

/** A signed transaction with the blocks that can contain it. */
export type SignedTransaction = Signature & {
  readonly raw: Uint8Array;
  /** The transaction's fee in lamports, without the rent of a new token account. */
  readonly fee: bigint;
};

/** The block hash of new transactions, with the blocks that can contain them. */
export type Lifetime = {
  readonly blockhash: Blockhash;
  readonly lastHeight: number;
  readonly sinceSlot: number;
};

/** The part of a genesis hash that names a chain (CAIP-2). */
const chainNameLength = 32;

export type SolanaChain = ReturnType<typeof openSolanaChain>;

/** Opens the chain with its nodes and the paying wallet. It makes no decision about money. */
export function openSolanaChain(
  settings: SolanaSettings,
  signer: Signer,
  calls: Parameters<typeof callAllOf>[1],
) {
  const { rpc_urls: urls, wallet, native, agreeing = urls.length } = settings;
  const callAll = callAllOf(urls.map(connectNode), calls);
  const tokens = createTokens(settings);
  const isOwned = (to: string): boolean =>
    isAddress(to) && to !== wallet && !isUnowned("SOLANA", to) && !tokens.isMint(to);
  return {
    /** The wallet's name in CAIP-10, as stored with its transfers. */
    wallet: `solana:${settings.genesis_hash.slice(0, chainNameLength)}:${wallet}`,
    isOwned,
    /** Returns true if the settings include the currency and the recipient can own a wallet. */
    pays: ({ currency, to }: Pick<Order, "currency" | "to">) => tokens.has(currency) && isOwned(to),
    /** Rejects if nodes belong to another chain, or if a token can't be paid as configured. */
    check: async (): Promise<void> => {
      await signer.check();
      await checkChain(settings, callAll);
      await tokens.read(callAll);
    },
    snapshot: async (): Promise<Snapshot> => {
      const states = await callAll((node) => readSnapshot(node, wallet, tokens.known));
      const fees = settings.priority_fee;
      const snapshot = agreedSnapshot(states, agreeing, { native, fees }, tokens.known);
      if (snapshot === undefined)
        throw new Error(`fewer than ${agreeing} nodes returned the wallet's state`);
      return snapshot;
    },
    /** Returns the maximum cost of an order for the wallet, in units of the chain. */
    costOf: (
      { amount, currency }: Pick<Order, "currency" | "amount">,
      { pricePerUnit, tokenRent }: Pick<Snapshot, "pricePerUnit" | "tokenRent">,
    ) => {
      const rent = currency === native ? 0n : tokenRent;
      const fee = transactionFee(pricePerUnit, computeUnits) + rent;
      return { amount: tokens.unitsOf(amount, currency), fee };
    },
    /** Checks with the nodes that the order can be paid now. */
    clearance: async (order: Order): Promise<Preflight> => {
      const check = await checkOf(tokens, order);
      return agreedClearance(await callAll(check), agreeing);
    },
    lifetime: async (): Promise<Lifetime> => {
      const offered = await callAll((node) => node.blockhash());
      for (const blockhash of new Set(offered.filter((each) => each !== undefined))) {
        const known = await callAll((node) => node.blockKnowing(blockhash));
        const blocks = lifetimeOf(known, agreeing);
        if (blocks !== undefined) return { blockhash, ...blocks };
      }
      throw new Error(`fewer than ${agreeing} nodes agree on a recent block hash`);
    },
    sign: async (
      { key: memo, to, currency, amount }: Order,
      { blockhash, lastHeight, sinceSlot }: Lifetime,
      pricePerUnit: bigint,
    ): Promise<SignedTransaction> => {
      if (!isOwned(to)) throw new Error("the recipient's address can have no owner");
      const units = tokens.unitsOf(amount, currency);
      const token = tokens.of(currency);
      const accounts = token && {
        ...token,
        source: token.own,
        destination: await tokenAccountOf(token, to),
      };
      const payment = { wallet, to: address(to), units, memo, pricePerUnit, token: accounts };
      const key = await getPublicKeyFromAddress(wallet);
      const signed = await signPayment(payment, { blockhash, lastHeight }, signer, key);
      return { ...signed, lastHeight, sinceSlot, fee: transactionFee(pricePerUnit, computeUnits) };
    },
    /**
     * Sends the bytes to every node. A node also responds with an error if it already has them, and
     * a response proves nothing, so responses are ignored.
     */
    send: async (raw: Uint8Array): Promise<void> => {
      await callAll((node) => node.send(raw).catch(() => undefined));
    },
    /** Combines the nodes' reports on signatures, in their order. */
    outcomes: async (signatures: readonly Signature[]): Promise<readonly Outcome[]> => {
      if (signatures.length === 0) return [];
      const views = await callAll((node) => node.views(signatures));
      return signatures.map((_each, at) =>
        outcomeOf(
          views.map((ofNode) => ofNode?.[at]),
          agreeing,
        ),
      );
    },
  };
}

async function checkChain(
  { genesis_hash: wanted, rpc_urls: urls, agreeing = urls.length }: SolanaSettings,
  callAll: CallAll<SolanaNode>,
): Promise<void> {
  const hashes = await callAll((node) => node.genesisHash());
  if (hashes.some((hash) => hash !== undefined && hash !== wanted))
    throw new SettingsError(`${setting}: genesis_hash: a node belongs to another chain`);
  if (agreedOn(hashes, agreeing) === undefined)
    throw new Error(`fewer than ${agreeing} nodes returned the chain's genesis hash`);
}

/** Returns a function that checks an order's accounts on one node. */
async function checkOf(tokens: Tokens, { to, currency, amount }: Order) {
  const units = tokens.unitsOf(amount, currency);
  const token = tokens.of(currency);
  const account = token && (await tokenAccountOf(token, to));
  const asked = [to, ...(token && account ? [token.mint, account, token.own] : [])];
  const order = { to, units, mint: token?.mint, program: token?.program };
  return async (node: SolanaNode): Promise<Preflight> => {
    const [found, rentExempt, epoch] = await Promise.all([
      node.accounts(asked),
      node.rentExempt(0n),
      node.epoch(),
    ]);
    const at = { rentExempt, epoch };
    const recipient = found.get(to);
    if (token === undefined || account === undefined) return clearanceOn(order, { recipient }, at);
    const states = {
      mint: found.get(token.mint),
      account: found.get(account),
      own: found.get(token.own),
    };
    return clearanceOn(order, { recipient, token: states }, at);
  };
}
