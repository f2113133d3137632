import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";

type Dispatcher<State> = {
  run(isWorking: boolean): Promise<unknown>;
  state(): State | undefined;
};

type WalletWork = {
  /** Runs the work once. */
  readonly run: () => Promise<false>;
  /** Called when a transfer was added. */
  readonly wake: () => void;
  start(): Pick<Loop, "stop">;
};

/**
 * Creates the background work of a wallet. Only the process with the lease works on a wallet. The
 * lease avoids duplicate calls. The rail is correct without it.
 */
export function createWalletWork<State>(
  { database, log }: Pick<RailContext, "database" | "log">,
  options: {
    readonly rail: string;
    readonly dispatcher: Dispatcher<State>;
    /** The interval between runs. A new transfer waits for up to this time. */
    readonly everyMs: number;
    /** The lease's lifetime. After a process is killed, its wallets are idle for at most this long. */
    readonly leaseMs: number;
    readonly onState: (state: State) => void;
  },
): WalletWork {
  const { dispatcher, everyMs, leaseMs, onState } = options;
  const name = `rail ${options.rail}`;
  const lease = createSweepLease(database, name, leaseMs);
  const wake = createWake();
  const run = async () => {
    // Every process reads the wallet's state, because each one uses it when it accepts transfers.
    await dispatcher.run((await lease.hold()) !== undefined);
    const state = dispatcher.state();
    if (state !== undefined) onState(state);
    return false as const;
  };
  const start = () => {
    const loop = startLoop({ name, everyMs, wake, run, log });
    const stop = async () => {
      await loop.stop();
      await lease.release();
    };
    return { stop };
  };
  return { run, wake: wake.notify, start };
}
