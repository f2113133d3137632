import {
  orderIn,
  unsentReply,
  type WalletRailOptions,
  walletRail,
} from "@disburse/chain-rail/wallet/rail.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import type { Rail, RailReply } from "@disburse/rail/rail.ts";
import type { createDispatcher } from "./dispatcher.ts";
import { orderOf, type TransferDocument, type TransferStore } from "./documents.ts";
import { endUnsent, findTransfer, storeTransfer } from "./store.ts";

export type SolanaRailOptions = WalletRailOptions & {
  readonly store: TransferStore;
  readonly dispatcher: ReturnType<typeof createDispatcher>;
};

/** The poll interval of a transfer whose outcome is unknown. */
const unprovenPollMs = 30_000;

/**
 * Creates a rail whose transfers a dispatcher executes. Submitting inserts a transfer; polls read
 * its state.
 */
export function createSolanaRail(options: SolanaRailOptions): Rail {
  const { wallet, capabilities, store, dispatcher, clock, pollMs, wake } = options;
  const reply = async (key: string): Promise<RailReply> => {
    const found = await findTransfer(store, key);
    return found === null ? { status: { kind: "not_received" } } : replyOf(found, pollMs);
  };
  return {
    ...walletRail(options, dispatcher.state, reply),
    shortage: async ({ currency, amount }) => {
      const short = dispatcher.shortageFor({ currency, amount });
      return short === "gas" ? "LOW_GAS" : short && "LOW_FUNDS";
    },
    preflight: async (instruction) => {
      const order = { key: "", ...orderIn(capabilities, instruction) };
      if (!dispatcher.isOwned(order.to))
        return { kind: "refuse", failure: { code: "INVALID_ACCOUNT" } };
      return dispatcher.clearance(order);
    },
    submit: async (key, instruction) => {
      const order = { key, ...orderIn(capabilities, instruction) };
      const isOwned = dispatcher.isOwned(order.to);
      if (isOwned && !dispatcher.pays(order))
        throw new Error("the rail does not support the transfer's currency, so it can't be signed");
      const refused = { state: "refused", refused: { code: "INVALID_ACCOUNT" } } as const;
      const arrival = isOwned ? ({ state: "waiting" } as const) : refused;
      await storeTransfer(store, wallet, order, arrival, clock.now());
      wake();
      return reply(key);
    },
    // One document decides: a transfer is withdrawn or signed, never both. For an unknown key the
    // document prevents a later arrival.
    withdraw: async (key) => {
      const nothing = { key, currency: "", amount: 0n, to: "" };
      await storeTransfer(store, wallet, nothing, { state: "withdrawn" }, clock.now());
      if (await endUnsent(store, key, { state: "withdrawn" }, clock.now())) return true;
      const state = (await findTransfer(store, key))?.state;
      return state === "withdrawn" || state === "refused" || state === "failed";
    },
  };
}

/** Converts a transfer to a reply. Sets the time of the next poll while the transfer is open. */
function replyOf(transfer: TransferDocument, pollMs: number): RailReply {
  const { state, end, refused, unproven_at } = transfer;
  switch (state) {
    case "waiting":
      return { status: { kind: "accepted" }, pollAfterMs: pollMs };
    case "signed":
      return unproven_at === undefined
        ? { status: { kind: "accepted" }, pollAfterMs: pollMs }
        : { status: { kind: "unknown" }, pollAfterMs: unprovenPollMs };
    case "settled": {
      if (end === undefined) throw new Error("a settled transfer has no transaction");
      const { currency, amount } = orderOf(transfer);
      const scale = currencyOf(currency).decimals;
      return {
        status: { kind: "settled", reference: end.id },
        transferred: { amount: formatDecimal({ units: amount, scale }), currency },
      };
    }
    case "failed": {
      const failure = {
        code: "TRANSFER_REVERTED" as const,
        ...(end?.error !== undefined && { railCode: end.error.slice(0, railCodeMax) }),
      };
      return { status: { kind: "rejected", failure } };
    }
    case "refused":
    case "withdrawn":
      return unsentReply(refused);
  }
}

const railCodeMax = 100;
