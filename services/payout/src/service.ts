import type { Client, ServiceImpl } from "@connectrpc/connect";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import type { PayoutService as PayoutRpc } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { ExecuteDeps } from "./execution/execute.ts";
import { createHoldCloser, type HoldCloser } from "./execution/hold-closer.ts";
import { sweepHolds } from "./execution/hold-sweep.ts";
import { openExecutionStore } from "./execution/store.ts";
import { openAccountStore } from "./ledger/accounts.ts";
import type { AuditAction, AuditStore } from "./payouts/audit.ts";
import { openPayoutCounts } from "./payouts/counts.ts";
import { publishedRpc } from "./payouts/published-rpc.ts";
import { openPayoutStore } from "./payouts/store.ts";
import type { Reporter } from "./payouts/work.ts";
import { openRailCallbacks, type ReceivedMessage, receiveCallback } from "./rails/callbacks.ts";
import { createRailDirectory, type RailDirectory } from "./rails/directory.ts";
import type { Rail } from "./rails/rail.ts";
import { railRpc } from "./rails/rpc.ts";
import type { Route } from "./rails/rules/routing.ts";
import { openRailStates, type RailStates } from "./rails/states.ts";
import { deferMaxMs } from "./rails/steps.ts";
import { workOnDuePayout } from "./rails/worker.ts";
import type { ResolutionDeps } from "./resolutions/resolve.ts";
import { operatorRpc } from "./resolutions/rpc.ts";
import { openResolutionStore } from "./resolutions/store.ts";
import { sweepResolutions } from "./resolutions/sweep.ts";
import { payoutRpc } from "./rpc.ts";

/** How late background work may find what nobody woke it for. */
const pollMs = 100;
const sweepMs = 1_000;
/** An account carries its movements no longer than this before they are in the ledger. */
const recordMs = 250;
/** How late work may be found that a wrong clock put off. */
const recallMs = 5_000;
/** A process that died holds up the sweeps no longer. */
const sweepLeaseMs = 3_000;
/** The first rail worker polls; each that finds work wakes the next, which otherwise rests. */
const restMs = 60_000;

/** What a payout service stands on: a process has connections here, a simulation its own. */
export type PayoutServiceOptions = {
  readonly database: Database;
  readonly bus: Bus;
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly rails: readonly Rail[];
  /** Which transfers go to which rail: the first that matches. */
  readonly routes: readonly Route[];
  /** A payout that is open for so long after its submission is put before the operators. */
  readonly stuckAfterMs: number;
  /** Payouts that are worked on side by side. */
  readonly railWorkers: number;
  readonly mode: Mode;
  /** Where this process is, `host:port`: of no other one that runs. */
  readonly place: string;
  readonly clock: Clock;
  readonly log: Log;
};

/** A payout service at work. */
export type PayoutService = {
  readonly rpc: Partial<ServiceImpl<typeof PayoutRpc>>;
  /** For the operator's staff, and for rails. */
  readonly operations: Partial<ServiceImpl<typeof PayoutOperationsService>>;
  /** Takes a message of a rail that lives in this process, as the RPC takes those of others. */
  receive(message: ReceivedMessage, by: Reporter): Promise<unknown>;
  /** Ends the background work after its present runs. */
  stop(): Promise<void>;
};

/** Opens the stores, starts the relay, the rail workers and the sweeps, and answers the RPCs. */
export async function startPayoutService(options: PayoutServiceOptions): Promise<PayoutService> {
  const { database, quote, beneficiary, mode, clock } = options;
  const accounts = await openAccountStore(database);
  const payouts = await openPayoutStore(database, options.place, clock);
  await payouts.freeLeases();
  const executions = openExecutionStore(database);
  const closer = createHoldCloser(accounts);
  const stores = { accounts, executions, payouts };
  const deps = { ...stores, clock, quote, beneficiary, closeHold: closer.close };
  const resolutions = await openResolutionStore(database);
  const audit = await openAuditStore<AuditAction>(database);
  const states = openRailStates(database, clock);
  await followTrail(options.rails, audit, states);
  const rails = createRailDirectory(options.rails, options.routes, states.isPaused);
  const { counts, wake, stop } = startBackground(
    options,
    { ...deps, rails, resolutions, audit },
    closer,
  );
  const callbacks = openRailCallbacks(database);
  const heard = { payouts, callbacks, rails, states, resolutions, audit, clock, wake };
  return {
    rpc: payoutRpc({ ...deps, counts, mode, wake }),
    operations: { ...railRpc(heard), ...operatorRpc(heard), ...publishedRpc(heard) },
    receive: (message, by) => receiveCallback(heard, message, by),
    stop,
  };
}

/** What an operator decided of a rail counts also where a crash came before it took effect. */
async function followTrail(
  rails: readonly Rail[],
  audit: AuditStore,
  states: RailStates,
): Promise<void> {
  for (const { name } of rails) {
    const last = await audit.lastOf(name);
    if (last !== undefined) await states.follow(last);
  }
}

/** Starts what runs beside the RPCs; `wake` tells it that a payout was made or changed. */
function startBackground(
  { database, bus, railWorkers, stuckAfterMs, log }: PayoutServiceOptions,
  deps: Omit<ExecuteDeps & ResolutionDeps, "wake"> & { readonly rails: RailDirectory },
  closer: HoldCloser,
) {
  const counts = openPayoutCounts(database, deps.payouts);
  const relay = startRelay({ outbox: deps.payouts.outbox, bus, log });
  const work = { ...deps, stuckAfterMs, log, onChanged: relay.wake };
  const workers = Array.from({ length: railWorkers }, (_each, at) => {
    const run = async () => {
      const worked = await workOnDuePayout(work);
      if (worked) workers[at + 1]?.wake();
      return worked;
    };
    return startLoop({ name: "rail-worker", everyMs: at === 0 ? pollMs : restMs, run, log });
  });
  const wake = () => {
    relay.wake();
    workers[0]?.wake();
  };
  const sweepDeps = { ...deps, log, wake };
  const lease = createSweepLease(database, "sweeps", sweepLeaseMs);
  /** One process of many sweeps; the others look in vain whether it is their turn. */
  const leased = (run: () => Promise<unknown>) => async () => {
    if ((await lease.hold()) !== undefined) await run();
    return false;
  };
  const loops = [
    relay,
    ...workers,
    startLoop({ name: "tally", everyMs: pollMs, run: counts.run, log }),
    startLoop({
      name: "hold-sweep",
      everyMs: sweepMs,
      run: leased(() => sweepHolds(sweepDeps)),
      log,
    }),
    startLoop({
      name: "work-recall",
      everyMs: recallMs,
      run: leased(() => deps.payouts.recallWork(deps.clock.now(), deferMaxMs)),
      log,
    }),
    startLoop({
      name: "resolution-sweep",
      everyMs: sweepMs,
      run: leased(() => sweepResolutions(sweepDeps)),
      log,
    }),
    startLoop({ name: "hold-closer", everyMs: pollMs, run: closer.flush, log }),
    startLoop({
      name: "ledger-recorder",
      everyMs: recordMs,
      run: leased(deps.accounts.recordRecent),
      log,
    }),
  ];
  const stop = async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    await lease.release();
  };
  return { counts, wake, stop };
}
