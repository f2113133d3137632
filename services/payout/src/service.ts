import type { Client, ServiceImpl } from "@connectrpc/connect";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import type { CountRead } from "@disburse/chassis/cache.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type ExecuteDeps, openExecutions } from "./execution/execute.ts";
import { createHoldCloser, type HoldCloser, sweepHolds } from "./execution/holds.ts";
import { executionRpc } from "./execution/rpc.ts";
import { openLedger } from "./ledger/accounts.ts";
import { recordRecent } from "./ledger/recorder.ts";
import { ledgerRpc } from "./ledger/rpc.ts";
import { openPayoutCounts, type PayoutCounts } from "./payouts/counts.ts";
import { createLeases } from "./payouts/leases.ts";
import type { AuditAction, AuditStore } from "./payouts/operators.ts";
import { payoutOutbox } from "./payouts/outbox.ts";
import { payoutsRpc, publishedRpc } from "./payouts/rpc.ts";
import { openPayouts } from "./payouts/store.ts";
import { freeLeases, recallWork } from "./payouts/work.ts";
import { openRailCallbacks, type ReceivedMessage, receiveCallback } from "./rails/callbacks.ts";
import { createRailDirectory, type RailDirectory } from "./rails/directory.ts";
import type { Rail } from "./rails/rail.ts";
import { railsRpc, reportRpc } from "./rails/rpc.ts";
import type { Route } from "./rails/rules/routing.ts";
import { openRailStates, type RailStates } from "./rails/states.ts";
import { deferMaxMs } from "./rails/steps.ts";
import { workOnDuePayout } from "./rails/worker.ts";
import { type ResolutionDeps, sweepResolutions } from "./resolutions/resolve.ts";
import { resolutionsRpc } from "./resolutions/rpc.ts";
import { openResolutionStore } from "./resolutions/store.ts";

/** How late background work finds what it was not woken for. */
const pollMs = 100;
const sweepMs = 1_000;
/** The relay counts what it publishes; what it cannot publish is counted so late. */
const tallyMs = 400;
/** How late the ledger gets movements of accounts that another process wrote. */
const recordMs = 250;
/** How late work is found that a wrong clock deferred. */
const recallMs = 5_000;
/** How long a killed process delays the sweeps. */
const sweepLeaseMs = 3_000;
/** The first rail worker polls; one that finds work wakes the next, which polls so seldom. */
const restMs = 60_000;

/** What a payout service runs on: connections of a process, or of a simulation. */
export type PayoutServiceOptions = {
  readonly database: Database;
  readonly bus: Bus;
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly rails: readonly Rail[];
  /** Which transfers go to which rail: the first that matches. */
  readonly routes: readonly Route[];
  /** A payout that is open for so long after its submission gets an exception. */
  readonly stuckAfterMs: number;
  /** Payouts that are worked on concurrently. */
  readonly railWorkers: number;
  readonly mode: Mode;
  /** This process, `host:port`; unique among those that run. */
  readonly place: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly countRead?: CountRead;
};

/** Opens the stores, starts the relay, the rail workers and the sweeps, and answers the RPCs. */
export async function startPayoutService(options: PayoutServiceOptions) {
  const { database, quote, beneficiary, mode, clock } = options;
  let onMoved = (): void => undefined;
  const ledger = await openLedger(database, () => onMoved());
  const payouts = openPayouts(database);
  await freeLeases(payouts, options.place);
  const executions = openExecutions(database);
  const closer = createHoldCloser(ledger);
  const stores = { ledger, executions, payouts };
  const deps = { ...stores, clock, quote, beneficiary, closeHold: closer.close };
  const resolutions = openResolutionStore(database);
  const audit = openAuditStore<AuditAction>(database);
  const states = openRailStates(database, clock);
  await followTrail(options.rails, audit, states);
  const rails = createRailDirectory(options.rails, options.routes, states.isPaused);
  const background = startBackground(options, { ...deps, rails, resolutions, audit }, closer);
  const { counts, wake, stop } = background;
  onMoved = background.wakeRecorder;
  const callbacks = openRailCallbacks(database);
  const operations = { payouts, callbacks, rails, states, resolutions, audit, clock, wake };
  return {
    rpc: payoutRpc({ ...deps, counts, mode, wake }),
    /** For operators, rails and subscribers. */
    operations: operationsRpc(operations),
    /** Receives a callback of a rail in this process, as the RPC does. */
    receive: (message: ReceivedMessage, by: Change) => receiveCallback(operations, message, by),
    /** Ends the background work after its present runs. */
    stop,
  };
}

/** Applies the last audit entry of each rail, which a crash may have kept from its state. */
async function followTrail(rails: readonly Rail[], audit: AuditStore, states: RailStates) {
  for (const { name } of rails) {
    const last = await audit.lastOf(name);
    if (last !== undefined) await states.follow(last);
  }
}

/** Starts what runs beside the RPCs; `wake` is called when a payout was made or changed. */
function startBackground(
  { database, bus, place, railWorkers, stuckAfterMs, log, countRead }: PayoutServiceOptions,
  deps: Omit<ExecuteDeps & ResolutionDeps, "wake"> & { readonly rails: RailDirectory },
  closer: HoldCloser,
) {
  const counts = openPayoutCounts(database, deps.payouts, countRead);
  const { payouts, clock } = deps;
  const relay = startRelay({ outbox: payoutOutbox(payouts, counts, clock), bus, log });
  const leaseNext = createLeases(payouts, clock, place);
  const work = { ...deps, stuckAfterMs, log, onChanged: relay.wake };
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    startLoop({ name, everyMs, run, log });
  const workers = Array.from({ length: railWorkers }, (_each, at) =>
    loop("rail-worker", at === 0 ? pollMs : restMs, () =>
      workOnDuePayout({
        ...work,
        leaseNext: async () => {
          const leased = await leaseNext();
          if (leased !== undefined) workers[at + 1]?.wake();
          return leased;
        },
      }),
    ),
  );
  const wake = () => {
    relay.wake();
    workers[0]?.wake();
  };
  const sweepDeps = { ...deps, log, wake };
  const lease = createSweepLease(database, "sweeps", sweepLeaseMs);
  /** One process sweeps, the one with the lease. */
  const sweep = (name: string, everyMs: number, run: () => Promise<void>) =>
    loop(name, everyMs, async () => {
      if ((await lease.hold()) !== undefined) await run();
      return false;
    });
  const recall = () => recallWork(payouts, clock.now(), deferMaxMs);
  const recorder = sweep("ledger-recorder", recordMs, () => recordRecent(deps.ledger));
  const loops = [
    relay,
    recorder,
    ...workers,
    loop("tally", tallyMs, counts.run),
    loop("hold-closer", pollMs, closer.flush),
    sweep("hold-sweep", sweepMs, () => sweepHolds(sweepDeps)),
    sweep("work-recall", recallMs, recall),
    sweep("resolution-sweep", sweepMs, () => sweepResolutions(sweepDeps)),
  ];
  const stop = async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    await lease.release();
  };
  return { counts, wake, wakeRecorder: recorder.wake, stop };
}

/** The RPCs for the gateway and other services; proto/disburse/payout/v1/payout.proto has them. */
export function payoutRpc(
  deps: ExecuteDeps & { readonly counts: PayoutCounts; readonly mode: Mode },
): ServiceImpl<typeof PayoutService> {
  return {
    ...ledgerRpc(deps.ledger, deps.clock),
    ...executionRpc(deps),
    ...payoutsRpc(deps.payouts, deps.counts),
    ...reportRpc(deps),
  };
}

/** The RPCs for operators, rails and subscribers; payout_operations.proto has them. */
export function operationsRpc(
  deps: Parameters<typeof resolutionsRpc>[0] & Parameters<typeof railsRpc>[0],
): ServiceImpl<typeof PayoutOperationsService> {
  return { ...resolutionsRpc(deps), ...railsRpc(deps), ...publishedRpc(deps.payouts) };
}
