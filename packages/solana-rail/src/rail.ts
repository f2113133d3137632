import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RailCapabilities, Transfer } from "@disburse/rail/capabilities.ts";
import type { Instruction, Rail, RailReply } from "@disburse/rail/rail.ts";
import type { createDispatcher } from "./dispatcher.ts";
import { orderOf, type TransferDocument, type TransferStore } from "./documents.ts";
import { endUnsent, findTransfer, storeTransfer } from "./store.ts";

export type SolanaRailOptions = {
  readonly name: string;
  /** The wallet's name, as stored with its transfers. */
  readonly wallet: string;
  readonly capabilities: RailCapabilities;
  readonly store: TransferStore;
  readonly dispatcher: ReturnType<typeof createDispatcher>;
  readonly clock: Clock;
  /** The delay before the payout polls an unfinished transfer again. */
  readonly pollMs: number;
  readonly settlesInMs?: number | undefined;
  readonly overdueAfterMs?: number | undefined;
  /** Called when a transfer was added. */
  readonly wake: () => void;
};

/** If no run succeeded for this long, the rail counts as unavailable. */
const awayAfterMs = 30_000;
/** The poll interval of a transfer whose outcome is unknown. */
const unprovenPollMs = 30_000;

/**
 * Creates a rail whose transfers a dispatcher executes. Submitting inserts a transfer; polls read
 * its state.
 */
export function createSolanaRail(options: SolanaRailOptions): Rail {
  const { name, wallet, capabilities, store, dispatcher, clock, pollMs, wake } = options;
  const { settlesInMs, overdueAfterMs } = options;
  const reply = async (key: string): Promise<RailReply> => {
    const found = await findTransfer(store, key);
    return found === null ? { status: { kind: "not_received" } } : replyOf(found, pollMs);
  };
  const orderIn = (key: string, instruction: Instruction) => {
    const { currency, amount, accountNumber: to, network } = instruction;
    if (!capabilities.networks.includes(network))
      throw new Error(`the rail does not support the network ${network}`);
    return { key, currency: currencyOf(currency).code, amount, to };
  };
  return {
    name,
    capabilities,
    isFunded: true,
    ...(overdueAfterMs !== undefined && { overdueAfterMs }),
    available: async () => {
      const state = dispatcher.state();
      return state !== undefined && clock.now().getTime() - state.at.getTime() < awayAfterMs;
    },
    shortage: async ({ currency, amount }) => {
      const short = dispatcher.shortageFor({ currency, amount });
      return short === "gas" ? "LOW_GAS" : short && "LOW_FUNDS";
    },
    ...(settlesInMs !== undefined && {
      expectedAt: (_transfer: Transfer, now: Date) => new Date(now.getTime() + settlesInMs),
    }),
    preflight: async (instruction) => {
      const order = orderIn("", instruction);
      if (!dispatcher.isOwned(order.to))
        return { kind: "refuse", failure: { code: "INVALID_ACCOUNT" } };
      return dispatcher.clearance(order);
    },
    submit: async (key, instruction) => {
      const order = orderIn(key, instruction);
      const isOwned = dispatcher.isOwned(order.to);
      if (isOwned && !dispatcher.pays(order))
        throw new Error("the rail does not support the transfer's currency, so it can't be signed");
      const refused = { state: "refused", refused: { code: "INVALID_ACCOUNT" } } as const;
      const arrival = isOwned ? ({ state: "waiting" } as const) : refused;
      await storeTransfer(store, wallet, order, arrival, clock.now());
      wake();
      return reply(key);
    },
    query: reply,
    // One document decides: a transfer is withdrawn or signed, never both. For an unknown key the
    // document prevents a later arrival.
    withdraw: async (key) => {
      const nothing = { key, currency: "", amount: 0n, to: "" };
      await storeTransfer(store, wallet, nothing, { state: "withdrawn" }, clock.now());
      if (await endUnsent(store, key, { state: "withdrawn" }, clock.now())) return true;
      const state = (await findTransfer(store, key))?.state;
      return state === "withdrawn" || state === "refused" || state === "failed";
    },
    // A chain sends no callbacks.
    readCallback: () => "forged",
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
      return { status: { kind: "rejected", ...(refused !== undefined && { failure: refused }) } };
    case "withdrawn":
      return { status: { kind: "rejected" } };
  }
}

const railCodeMax = 100;
