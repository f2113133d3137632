import type { Fees } from "./rules/fees.ts";
import type { Verdict } from "./rules/finality.ts";
import type { Funds } from "./rules/nonces.ts";

/** The currency, amount and recipient of a transfer. */
export type Order = {
  readonly currency: string;
  /** Amount in minor units of the currency. */
  readonly amount: bigint;
  /** The address of the recipient's wallet. */
  readonly to: string;
};

/** A signed transaction: its hash, and the bytes that are sent and resent. */
export type Signed = { readonly id: string; readonly raw: Uint8Array };

/** The state of the wallet and its chain on which enough nodes agree. */
export type Snapshot = {
  /** The chain height that enough nodes have reached. */
  readonly height: number;
  /** Nonces below these are mined: by enough nodes, and by the node that is furthest ahead. */
  readonly minedLeast: number;
  readonly minedMost: number;
  /** Nonces below are mined or known to a node as pending. */
  readonly pendingMost: number;
  /** Final transactions have the nonces below, by enough nodes. */
  readonly finalNonce: number;
  readonly baseFee: bigint;
  readonly funds: Funds;
};

/** The final transaction that has a nonce. */
export type Taker = {
  readonly id: string;
  readonly height: number;
  readonly block: string;
  /** True if it pays exactly what the order does: same recipient, amount and token. */
  readonly isSamePayment: boolean;
};

/**
 * One wallet on a chain whose transactions are numbered by nonces. Nothing here decides about
 * money: `rules/finality.ts` compares the responses of nodes. A call rejects if too few nodes
 * respond.
 */
export type Chain = {
  /** The chain and the wallet on it: `1:0x…`. Stored with each transfer. */
  readonly wallet: string;
  /** Rejects if nodes belong to another chain, or if a token differs from its settings. */
  check(): Promise<void>;
  /** Returns true if the settings name the order's currency and its recipient is an address. */
  pays(order: Pick<Order, "currency" | "to">): boolean;
  /**
   * Returns true if the recipient is a wallet with an owner: no burn address, precompile or token.
   */
  isOwned(to: string): boolean;
  snapshot(): Promise<Snapshot>;
  /** Returns what an order costs the wallet at most, in units of the chain. */
  costOf(order: Order, fees: Fees): { readonly amount: bigint; readonly fee: bigint };
  sign(nonce: number, order: Order, fees: Fees): Promise<Signed>;
  /** Returns the maximum cost of a cancelling transaction. */
  cancelFee(fees: Fees): bigint;
  /** Signs a transaction from the wallet to itself that pays nothing. */
  signCancel(nonce: number, fees: Fees): Promise<Signed>;
  /** Sends the bytes to every node. The nodes' responses decide nothing, so none is returned. */
  send(raw: Uint8Array): Promise<void>;
  /**
   * Returns the nodes' agreement on the signed variants of one nonce. Without an order, it contains
   * no received amount.
   */
  verdict(ids: readonly string[], order: Order | undefined): Promise<Verdict>;
  /** Returns the final transaction that has a nonce, in a block after `since`, if nodes agree. */
  takerOf(nonce: number, since: number, order: Order | undefined): Promise<Taker | undefined>;
  /** Converts units of the chain to decimal text of the currency. */
  amountText(units: bigint, currency: string): string;
};
