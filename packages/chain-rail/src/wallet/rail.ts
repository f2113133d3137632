import { currencyOf } from "@disburse/kernel/currency.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RailCapabilities, Transfer } from "@disburse/rail/capabilities.ts";
import type { Instruction, Rail, RailReply } from "@disburse/rail/rail.ts";

export type WalletRailOptions = {
  readonly name: string;
  /** The wallet's name, as stored with its transfers: `1:0x…`. */
  readonly wallet: string;
  readonly capabilities: RailCapabilities;
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

/** Returns the parts of a rail that are the same for every wallet. */
export function walletRail(
  { name, capabilities, clock, settlesInMs, overdueAfterMs }: WalletRailOptions,
  state: () => { readonly at: Date; readonly blocked?: unknown } | undefined,
  query: Rail["query"],
) {
  return {
    name,
    capabilities,
    isFunded: true as const,
    ...(overdueAfterMs !== undefined && { overdueAfterMs }),
    available: async () => {
      const last = state();
      if (last === undefined || last.blocked !== undefined) return false;
      return clock.now().getTime() - last.at.getTime() < awayAfterMs;
    },
    ...(settlesInMs !== undefined && {
      expectedAt: (_transfer: Transfer, now: Date) => new Date(now.getTime() + settlesInMs),
    }),
    query,
    // A chain sends no callbacks.
    readCallback: () => "forged" as const,
  };
}

/** Reads what an instruction pays. Throws if the rail is not on its network. */
export function orderIn(
  { networks }: RailCapabilities,
  { currency, amount, accountNumber, network }: Instruction,
) {
  if (!networks.includes(network))
    throw new Error(`the rail does not support the network ${network}`);
  return { currency: currencyOf(currency).code, amount, to: accountNumber };
}

/** Returns the reply of a transfer that is never sent. */
export function unsentReply(failure: Failure | undefined): RailReply {
  return { status: { kind: "rejected", ...(failure !== undefined && { failure }) } };
}

/** Returns the parts of a reply on a final transaction that may still leave the chain. */
export function watchedReply(
  { open, reorganised_at }: { readonly open?: string; readonly reorganised_at?: Date },
  pollAfterMs: number,
): Pick<RailReply, "pollAfterMs" | "contradiction"> {
  return {
    ...(open !== undefined && { pollAfterMs }),
    ...(reorganised_at !== undefined && {
      contradiction: "a reorganisation removed the transaction from the chain",
    }),
  };
}
