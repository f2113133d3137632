import { currencyOf } from "@disburse/kernel/currency.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RailCapabilities, Transfer } from "@disburse/rail/capabilities.ts";
import type { Instruction, Rail, RailReply } from "@disburse/rail/rail.ts";
import type { Order } from "./chain.ts";
import type { createDispatcher } from "./dispatcher.ts";
import type { TransferDocument, TransferStore } from "./documents.ts";
import { acceptTransfer, findTransfer, refuseTransfer } from "./store.ts";
import { withdrawTransfer } from "./withdrawal.ts";

export type ChainRailOptions = {
  readonly name: string;
  /** The wallet's name, as stored with its transfers: `1:0x…`. */
  readonly wallet: string;
  readonly capabilities: RailCapabilities;
  readonly store: TransferStore;
  readonly dispatcher: ReturnType<typeof createDispatcher>;
  readonly clock: Clock;
  /** The delay before the payout polls an unfinished transfer again. */
  readonly pollMs: number;
  /** The usual time from submission to finality. Merchants see this time. */
  readonly settlesInMs?: number | undefined;
  /** The time after submission at which an open payout is overdue. */
  readonly overdueAfterMs?: number | undefined;
  /** Called when a transfer was added. */
  readonly wake: () => void;
};

/** If no run succeeded for this long, the rail counts as unavailable. */
const awayAfterMs = 30_000;
/** The poll interval of an ended transfer whose transaction may still leave the chain. */
const watchPollMs = 30_000;

/**
 * Creates a rail whose transfers a dispatcher executes on a chain. Submitting inserts a transfer;
 * polls read its state.
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
    preflight: async (instruction) => {
      const order = orderIn(capabilities, instruction);
      return dispatcher.isOwned(order.to)
        ? dispatcher.clearance(order)
        : { kind: "refuse", failure: { code: "INVALID_ACCOUNT" } };
    },
    submit: async (key, instruction) => {
      const order = orderIn(capabilities, instruction);
      if (!dispatcher.isOwned(order.to)) {
        await refuseTransfer(store, key, wallet, order, clock.now());
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
    query: reply,
    withdraw: (key) => withdrawTransfer(store, wallet, key, clock.now()),
    // A chain sends no callbacks.
    readCallback: () => "forged",
  };
}

function orderIn(
  { networks }: RailCapabilities,
  { currency, amount, accountNumber, network }: Instruction,
): Order {
  if (!networks.includes(network))
    throw new Error(`the rail does not support the network ${network}`);
  return { currency: currencyOf(currency).code, amount, to: accountNumber };
}

/** Converts a transfer to a reply. Sets the time of the next poll while the transfer needs work. */
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
    ...(reorganised_at !== undefined && {
      contradiction: "a reorganisation removed the transaction from the chain",
    }),
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
