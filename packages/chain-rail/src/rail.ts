import { currencyOf } from "@disburse/kernel/currency.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RailCapabilities, Transfer } from "@disburse/rail/capabilities.ts";
import type { Rail, RailReply } from "@disburse/rail/rail.ts";
import type { createDispatcher } from "./dispatcher.ts";
import type { TransferDocument, TransferStore } from "./documents.ts";
import { acceptTransfer, findTransfer, refuseTransfer } from "./store.ts";
import { withdrawTransfer } from "./withdrawal.ts";

/** What a rail on a chain is made of. */
export type ChainRailOptions = {
  readonly name: string;
  /** Where its transfers are stored with: `1:0x…`. */
  readonly wallet: string;
  readonly capabilities: RailCapabilities;
  readonly store: TransferStore;
  readonly dispatcher: ReturnType<typeof createDispatcher>;
  readonly clock: Clock;
  /** How long to wait before a transfer under way is looked at again. */
  readonly pollMs: number;
  /** From submission to finality, as a rule; merchants read it. */
  readonly settlesInMs?: number | undefined;
  /** A payout that is open for so long is overdue. */
  readonly overdueAfterMs?: number | undefined;
  /** Called when there is a new transfer. */
  readonly wake: () => void;
};

/** The nodes count as away when no run has succeeded for so long. */
const awayAfterMs = 30_000;
/** A transfer at its end is asked for while its transaction may leave the chain. */
const watchPollMs = 30_000;

/**
 * A rail whose transfers a dispatcher takes through a chain. Taking a transfer is one insert: from
 * then on the rail has it, and polls read what became of it.
 */
export function createChainRail(options: ChainRailOptions): Rail {
  const { name, wallet, capabilities, store, dispatcher, clock, pollMs, wake } = options;
  const { settlesInMs, overdueAfterMs } = options;
  const reply = async (key: string): Promise<RailReply> => {
    const found = await findTransfer(store, key);
    return found === null ? { status: { kind: "not_received" } } : replyOf(found, pollMs);
  };
  return {
    name,
    capabilities,
    isFunded: true,
    ...(overdueAfterMs !== undefined && { overdueAfterMs }),
    available: async () => {
      const state = dispatcher.state();
      if (state === undefined || state.blocked !== undefined) return false;
      return clock.now().getTime() - state.at.getTime() < awayAfterMs;
    },
    shortage: async ({ currency, amount }) => {
      const short = dispatcher.shortageFor({ currency, amount, to: "" });
      return short === "gas" ? "LOW_GAS" : short && "LOW_FUNDS";
    },
    ...(settlesInMs !== undefined && {
      expectedAt: (_transfer: Transfer, now: Date) => new Date(now.getTime() + settlesInMs),
    }),
    submit: async (key, { currency, amount, accountNumber, network }) => {
      if (!capabilities.networks.includes(network)) throw new Error("another network's transfer");
      const order = { currency: currencyOf(currency).code, amount, to: accountNumber };
      if (!dispatcher.isOwned(order.to)) {
        await refuseTransfer(store, key, wallet, order, clock.now());
        return reply(key);
      }
      // It would hold up the wallet: nothing could be signed for it.
      if (!dispatcher.pays(order)) throw new Error("the chain cannot pay the transfer");
      await acceptTransfer(store, key, wallet, order, clock.now());
      wake();
      return reply(key);
    },
    query: reply,
    withdraw: (key) => withdrawTransfer(store, wallet, key, clock.now()),
    // A chain sends no messages.
    readCallback: () => "forged",
  };
}

/** What a rail says of a transfer; while there is work on it, it says when to ask again. */
function replyOf(transfer: TransferDocument, pollMs: number): RailReply {
  const { state, end, open, currency, reorganised_at, refused: code } = transfer;
  const accepted: RailReply = { status: { kind: "accepted" }, pollAfterMs: pollMs };
  if (state === "withdrawn") {
    return { status: { kind: "rejected", ...(code !== undefined && { failure: { code } }) } };
  }
  if (end === undefined) return accepted;
  const { id: reference, received: amount } = end;
  const watched = {
    ...(open !== undefined && { pollAfterMs: watchPollMs }),
    ...(reorganised_at !== undefined && { contradiction: "the transaction left the chain" }),
  };
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
