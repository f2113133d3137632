import type { Fees } from "./rules/fees.ts";
import type { Verdict } from "./rules/finality.ts";
import type { Funds } from "./rules/nonces.ts";

/** What a transfer pays, and to whom. */
export type Order = {
  readonly currency: string;
  /** Minor units of the currency. */
  readonly amount: bigint;
  /** The recipient's wallet. */
  readonly to: string;
};

/** A signed transaction: its hash, and the bytes that are sent, now and again. */
export type Signed = { readonly id: string; readonly raw: Uint8Array };

/** What enough nodes of a chain say of a wallet, at one time. */
export type Look = {
  /** The height of the chain that enough nodes have reached. */
  readonly height: number;
  /** Nonces below are mined: as enough nodes say, and as the one says that has seen most. */
  readonly minedLeast: number;
  readonly minedMost: number;
  /** Nonces below are mined or known to a node as pending. */
  readonly pendingMost: number;
  /** Nonces below are taken by final transactions, as enough nodes say. */
  readonly finalNonce: number;
  readonly baseFee: bigint;
  readonly funds: Funds;
};

/** The final transaction that took a nonce. */
export type Taker = {
  readonly id: string;
  readonly height: number;
  readonly block: string;
  /** It pays exactly what the order does: same recipient, amount and token. */
  readonly isSamePayment: boolean;
};

/**
 * One wallet on a chain whose transactions are numbered by nonces. Nothing here decides on money:
 * what nodes say is agreed on by `rules/finality.ts`. A call rejects where too few nodes answer.
 */
export type Chain = {
  /** The chain and the wallet on it: `1:0x…`. Stored with each transfer. */
  readonly wallet: string;
  /** Rejects where nodes are of another chain, or a token is not what the settings say. */
  check(): Promise<void>;
  /** Whether the settings name the order's currency, and its recipient is an address. */
  pays(order: Pick<Order, "currency" | "to">): boolean;
  /** Whether a recipient is a wallet with an owner: no burn address, precompile or token. */
  isOwned(to: string): boolean;
  look(): Promise<Look>;
  /** What paying an order takes out of the wallet: in units of the chain, with the dearest fee. */
  costOf(order: Order, fees: Fees): { readonly amount: bigint; readonly fee: bigint };
  sign(nonce: number, order: Order, fees: Fees): Promise<Signed>;
  /** The most that a cancelling transaction costs. */
  cancelFee(fees: Fees): bigint;
  /** Signs a transaction that pays nothing, to the wallet itself. */
  signCancel(nonce: number, fees: Fees): Promise<Signed>;
  /** Hands bytes to every node. Their answers decide nothing, so there is none here. */
  send(raw: Uint8Array): Promise<void>;
  /**
   * What the nodes say together of the signed variants of one nonce; without an order, no amount is
   * read from them.
   */
  verdict(ids: readonly string[], order: Order | undefined): Promise<Verdict>;
  /** The final transaction that took a nonce, on a block after `since`, where nodes agree on it. */
  takerOf(nonce: number, since: number, order: Order | undefined): Promise<Taker | undefined>;
  /** An amount in units of the chain as decimal text of the currency. */
  amountText(units: bigint, currency: string): string;
};
