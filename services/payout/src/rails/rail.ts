import type { RailAnswer } from "../domain/progress.ts";

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
export type TimedAnswer = { readonly answer: RailAnswer; readonly askAfterMs?: number };

/**
 * A way to move money. `key` is the payout's id: a rail pays one key at most once, however often it
 * is submitted. Both calls may throw: that is no answer, and the rail is asked by the key again.
 */
export type Rail = {
  readonly name: string;
  submit(key: string, instruction: Instruction): Promise<TimedAnswer>;
  query(key: string): Promise<TimedAnswer>;
};

/** The rail for a transfer, or `undefined` when none takes it now: the payout then stays queued. */
export type RouteRail = (transfer: {
  readonly currency: string;
  readonly transferMethod: string;
  readonly network: string;
}) => Rail | undefined;
