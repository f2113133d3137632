import type { Rail, RailReply } from "@disburse/rail/rail.ts";
import type { createDispatcher } from "./dispatcher.ts";
import type { TransferDocument, TransferStore } from "./documents.ts";
import { acceptTransfer } from "./store.ts";
import {
  orderIn,
  unsentReply,
  type WalletRailOptions,
  walletRail,
  watchedReply,
} from "./wallet/rail.ts";
import { findTransfer } from "./wallet/store.ts";
import { withdrawTransfer } from "./withdrawal.ts";

export type ChainRailOptions = WalletRailOptions & {
  readonly store: TransferStore;
  readonly dispatcher: ReturnType<typeof createDispatcher>;
};

/** The poll interval of an ended transfer whose transaction may still leave the chain. */
const watchPollMs = 30_000;

/**
 * Creates a rail whose transfers a dispatcher executes on a chain. Submitting inserts a transfer;
 * polls read its state.
 */
export function createChainRail(options: ChainRailOptions): Rail {
  const { wallet, capabilities, store, dispatcher, clock, pollMs, wake } = options;
  const reply = async (key: string): Promise<RailReply> => {
    const found = await findTransfer(store, key);
    return found === null ? { status: { kind: "not_received" } } : replyOf(found, pollMs);
  };
  return {
    ...walletRail(options, dispatcher.state, reply),
    shortage: async ({ currency, amount }) => {
      const short = dispatcher.shortageFor({ currency, amount, to: "" });
      return short === "gas" ? "LOW_GAS" : short && "LOW_FUNDS";
    },
    preflight: async (instruction) => {
      const order = orderIn(capabilities, instruction);
      return dispatcher.isOwned(order.to)
        ? dispatcher.clearance(order)
        : { kind: "refuse", failure: { code: "INVALID_ACCOUNT" } };
    },
    submit: async (key, instruction) => {
      const order = orderIn(capabilities, instruction);
      if (!dispatcher.isOwned(order.to)) {
        const refused = { refused: "INVALID_ACCOUNT" } as const;
        await acceptTransfer(store, key, wallet, order, clock.now(), refused);
        return reply(key);
      }
      // The dispatcher could not sign this transfer, so its nonce would block the wallet.
      if (!dispatcher.pays(order))
        throw new Error(
          "the rail does not support the transfer's currency or address, so it cannot be signed",
        );
      await acceptTransfer(store, key, wallet, order, clock.now());
      wake();
      return reply(key);
    },
    withdraw: (key) => withdrawTransfer(store, wallet, key, clock.now()),
  };
}

/** Converts a transfer to a reply. Sets the time of the next poll while the transfer needs work. */
function replyOf(transfer: TransferDocument, pollMs: number): RailReply {
  const { state, end, currency, refused: code } = transfer;
  const accepted: RailReply = { status: { kind: "accepted" }, pollAfterMs: pollMs };
  if (state === "withdrawn") return unsentReply(code && { code });
  if (end === undefined) return accepted;
  const { id: reference, received: amount } = end;
  const watched = watchedReply(transfer, watchPollMs);
  switch (state) {
    case "settled": {
      const transferred = amount === undefined ? {} : { transferred: { amount, currency } };
      return { status: { kind: "settled", reference }, ...transferred, ...watched };
    }
    case "rejected":
      return { status: { kind: "rejected", failure: { code: "TRANSFER_REVERTED" } }, ...watched };
    case "cancelled":
      return { status: { kind: "rejected" }, ...watched };
    case "unclear":
      return { status: { kind: "unknown" } };
    default:
      return accepted;
  }
}
