import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Chain } from "./chain.ts";
import type { TransferStore } from "./documents.ts";
import type { FeePolicy } from "./rules/fees.ts";

export type TransferWork = {
  readonly chain: Chain;
  readonly store: TransferStore;
  readonly fees: FeePolicy;
  /** The number of later blocks after which an ended transfer is no longer watched. */
  readonly watchBlocks: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns true if a transaction is due to be sent. Called before each send. */
  readonly isSendDue: (id: string) => boolean;
  readonly onEvent: (event: TransferEvent) => void;
};

export const transferEvents = [
  ...(["bumped", "nonce_lost", "reverted", "refused", "cancelled", "unclear"] as const),
  "reorganised",
] as const;
export type TransferEvent = (typeof transferEvents)[number];
