import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Chain } from "./chain.ts";
import type { TransferStore } from "./documents.ts";
import type { FeePolicy } from "./rules/fees.ts";

/** What the work on transfers needs. */
export type TransferWork = {
  readonly chain: Chain;
  readonly store: TransferStore;
  readonly fees: FeePolicy;
  /** A transfer is looked at until so many blocks are on top of the one that it ended by. */
  readonly watchBlocks: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether bytes are due to be sent again; called before each sending. */
  readonly isSendDue: (id: string) => boolean;
  /** Counts what operators have to know. */
  readonly onEvent: (event: TransferEvent) => void;
};

/** What happened to a transfer that is not the usual way. */
export const transferEvents = [
  ...(["bumped", "nonce_lost", "reverted", "cancelled", "unclear", "reorganised"] as const),
] as const;
export type TransferEvent = (typeof transferEvents)[number];
