import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import type { z } from "zod";
import type { WalletObserver } from "./metrics.ts";
import type { WalletRailOptions } from "./rail.ts";
import type { WalletRuns } from "./runs.ts";
import type { walletSettings } from "./settings.ts";

/** The parts of the process that a wallet's rail uses. */
export type WalletDeps<State, Event> = Pick<
  RailContext,
  "database" | "clock" | "log" | "isPaused"
> & { readonly metrics?: WalletObserver<State, Event> };

/** A rail's wallet for operator RPCs. */
export type RailWallet<Store, State> = {
  readonly rail: string;
  /** The wallet's name, as stored with its transfers: `1:0x…`. */
  readonly wallet: string;
  readonly store: Store;
  /**
   * The wallet's state after the dispatcher's latest run in this process. `undefined` before the
   * first run.
   */
  readonly state: () => State | undefined;
};

/** A rail with the wallet that it pays from. */
export type OpenedWallet<Store, State> = {
  readonly rail: Rail;
  readonly wallet: RailWallet<Store, State>;
  /** Runs the work once. */
  readonly run: () => Promise<false>;
  start(): Pick<Loop, "stop">;
};

type WalletSettings = z.output<z.ZodObject<typeof walletSettings>>;

/** Returns the dependencies of the work on a rail's wallet. */
export function workDeps<State, Event>(
  rail: string,
  { clock, log, isPaused, metrics }: WalletDeps<State, Event>,
) {
  return {
    clock,
    log,
    isPaused: () => isPaused(rail),
    onEvent: (event: Event) => metrics?.happened(rail, event),
    onNodeFailed: (node: number) => metrics?.nodeFailed(rail, node),
  };
}

/**
 * Opens a rail and the background work of its wallet. Only the process with the lease works on a
 * wallet. The lease avoids duplicate calls. The rail is correct without it.
 */
export function openWallet<Store, State, Event>(
  settings: WalletSettings,
  { database, clock, log, metrics }: WalletDeps<State, Event>,
  options: {
    readonly wallet: string;
    readonly store: Store;
    readonly dispatcher: WalletRuns<State>;
    readonly network: string;
    readonly currencies: readonly string[];
    /** The interval between runs. A new transfer waits for up to this time. */
    readonly everyMs: number;
    /** The lease's lifetime. After a process is killed, its wallets are idle for at most this long. */
    readonly leaseMs: number;
    readonly create: (options: WalletRailOptions) => Rail;
  },
): OpenedWallet<Store, State> {
  const { wallet, store, dispatcher, network, currencies, everyMs, leaseMs } = options;
  const { rail: name, settles_in_seconds: settles, overdue_after_minutes: overdue } = settings;
  const lease = createSweepLease(database, `rail ${name}`, leaseMs);
  const wake = createWake();
  const run = async () => {
    // Every process reads the wallet's state, because each one uses it when it accepts transfers.
    await dispatcher.run((await lease.hold()) !== undefined);
    const state = dispatcher.state();
    if (state !== undefined) metrics?.seen(name, state);
    return false as const;
  };
  const rail = options.create({
    name,
    wallet,
    clock,
    capabilities: { currencies, transferMethods: ["CRYPTO"], networks: [network], limits: {} },
    pollMs: settings.poll_ms,
    settlesInMs: settles && settles * 1_000,
    overdueAfterMs: overdue && overdue * 60_000,
    wake: wake.notify,
  });
  log.info({ rail: name }, "rail opened");
  const start = () => {
    const loop = startLoop({ name: `rail ${name}`, everyMs, wake, run, log });
    const stop = async () => {
      await loop.stop();
      await lease.release();
    };
    return { stop };
  };
  return { rail, wallet: { rail: name, wallet, store, state: dispatcher.state }, run, start };
}
