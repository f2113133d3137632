import type { Preflight } from "@disburse/rail/rail.ts";
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

/** A signed transaction. `id` is its hash, and `raw` contains the bytes to send. */
export type Signed = { readonly id: string; readonly raw: Uint8Array };

/** The state of the wallet and its chain on which enough nodes agree. */
export type Snapshot = {
  /** The chain height that enough nodes have reached. */
  readonly height: number;
  /**
   * Nonces below `minedLeast` are mined according to enough nodes. Nonces below `minedMost` are
   * mined according to the node that is furthest ahead.
   */
  readonly minedLeast: number;
  readonly minedMost: number;
  /** Nonces below this one are mined, or at least one node knows them as pending. */
  readonly pendingMost: number;
  /** Nonces below this one belong to final transactions, according to enough nodes. */
  readonly finalNonce: number;
  readonly baseFee: bigint;
  readonly funds: Funds;
  /** Currencies whose issuer has blocked the wallet, according to any node. */
  readonly frozen: readonly string[];
};

/** The final transaction that used a nonce. */
export type Taker = {
  readonly id: string;
  readonly height: number;
  readonly block: string;
  /** True if the transaction pays exactly what the order does: same recipient, amount and token. */
  readonly isSamePayment: boolean;
};

/**
 * One wallet on a chain whose transactions are numbered by nonces. An implementation makes no
 * decision about money. `rules/finality.ts` compares the responses of nodes. A call rejects if too
 * few nodes respond.
 */
export type Chain = {
  /** The chain and the wallet on it: `1:0x…`. Stored with each transfer. */
  readonly wallet: string;
  /**
   * Rejects if nodes belong to a different chain, or if a token on the chain differs from the
   * settings.
   */
  check(): Promise<void>;
  /**
   * Returns true if the settings include the order's currency and the recipient is a valid address.
   */
  pays(order: Pick<Order, "currency" | "to">): boolean;
  /**
   * Returns true if somebody can own the recipient's wallet. Burn addresses, precompiles and token
   * contracts have no owner.
   */
  isOwned(to: string): boolean;
  snapshot(): Promise<Snapshot>;
  /** Checks that the token's issuer lets the wallet pay the recipient now. */
  clearance(order: Order): Promise<Preflight>;
  /** Returns the maximum cost of an order for the wallet, in units of the chain. */
  costOf(order: Order, fees: Fees): { readonly amount: bigint; readonly fee: bigint };
  sign(nonce: number, order: Order, fees: Fees): Promise<Signed>;
  /** Returns the maximum cost of a cancelling transaction. */
  cancelFee(fees: Fees): bigint;
  /** Signs a transaction from the wallet to itself that pays nothing. */
  signCancel(nonce: number, fees: Fees): Promise<Signed>;
  /**
   * Sends the bytes to every node. Returns no response, because a node's response to a transaction
   * proves nothing.
   */
  send(raw: Uint8Array): Promise<void>;
  /**
   * Combines the nodes' reports on all signed variants of one nonce. Without an order, the verdict
   * contains no received amount.
   */
  verdict(ids: readonly string[], order: Order | undefined): Promise<Verdict>;
  /** Returns the final transaction that used a nonce in a block after `since`, if nodes agree. */
  takerOf(nonce: number, since: number, order: Order | undefined): Promise<Taker | undefined>;
  /** Converts units of the chain to decimal text of the currency. */
  amountText(units: bigint, currency: string): string;
};
