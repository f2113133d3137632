import type { Outcome } from "../payouts/rules/progress.ts";
import type { RailReport, TransferredAmount } from "../payouts/rules/rail-report.ts";
import type { RailCapabilities } from "./rules/routing.ts";

/** What a rail is told to pay. Never logged: it holds the account number in full. */
export type Instruction = {
  /** The merchant's reference; the sandbox reads scenarios from it. */
  readonly referenceId: string;
  readonly currency: string;
  /** Minor units of the currency. */
  readonly amount: bigint;
  /** `CRYPTO`, `SWIFT`, `ACH` or `LOCAL`. */
  readonly transferMethod: string;
  /** Of a crypto transfer; else "". */
  readonly network: string;
  readonly beneficiaryName: string;
  readonly accountNumber: string;
  readonly routingCodeType: string;
  readonly routingCodeValue: string;
  readonly destinationCountry: string;
};

/** An answer, and when it is worth asking again; never, when there is no time. */
export type RailReply = RailReport & { readonly pollAfterMs?: number };

/** A message of a rail's own, its signature verified. */
export type RailCallback = {
  /** The key that the transfer was submitted under. */
  readonly key: string;
  readonly status: Outcome;
  readonly transferred?: TransferredAmount | undefined;
};

/**
 * A way to move money. `key` is the payout's id: a rail pays one key at most once, however often it
 * is submitted. `submit` and `query` may throw: that is no answer, and the rail is asked by the key
 * again. `test-contract.ts` tries what every rail has to keep to.
 */
export type Rail = {
  /** Stored with each payout that it is sent: it never changes. 1 to 64 of `a-z 0-9 -`. */
  readonly name: string;
  readonly capabilities: RailCapabilities;
  /** Its own word, now, on whether it takes new transfers; one that throws does not. */
  available(): Promise<boolean>;
  submit(key: string, instruction: Instruction): Promise<RailReply>;
  query(key: string): Promise<RailReply>;
  /**
   * Reads a message of the rail's. `forged` when it is not signed by the rail, whatever it says;
   * `unreadable` when it is, and says nothing of an outcome.
   */
  readCallback(body: Uint8Array, signature: string): RailCallback | "forged" | "unreadable";
};
