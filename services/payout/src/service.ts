import type { Client } from "@connectrpc/connect";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import type { Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { createDuplicateGuard } from "./controls/duplicates.ts";
import { openPayoutControls, type PayoutControls } from "./controls/settings.ts";
import type { ExecuteDeps } from "./execution/execute.ts";
import { createHoldCloser, type HoldCloser, sweepHolds } from "./execution/holds.ts";
import { sweepReservations } from "./execution/reservations.ts";
import { openLedger, openPayoutCounts } from "./ledger/accounts.ts";
import type { LedgerApprovals } from "./ledger/approvals.ts";
import { recordRecent } from "./ledger/recorder.ts";
import type { PayoutMetrics } from "./metrics.ts";
import type { Lease } from "./payouts/document.ts";
import { createLeases } from "./payouts/leases.ts";
import type { AuditAction, AuditStore } from "./payouts/operators.ts";
import { type OwedEvent, openPayoutOutbox } from "./payouts/outbox.ts";
import { announcedBy } from "./payouts/pending-event.ts";
import { type Created, openPayouts } from "./payouts/store.ts";
import { freeLeases, recallWork } from "./payouts/work.ts";
import type { Seals } from "./rails/bank/contents.ts";
import { openBankStore } from "./rails/bank/documents.ts";
import { openRailCallbacks, type ReceivedMessage, receiveCallback } from "./rails/callbacks.ts";
import type { ChainWallet } from "./rails/chain/rpc.ts";
import { createRailDirectory, type RailDirectory } from "./rails/directory.ts";
import type { Rail } from "./rails/rail.ts";
import type { Route } from "./rails/rules/routing.ts";
import type { SandboxRail } from "./rails/sandbox/rail.ts";
import type { SandboxSettings } from "./rails/sandbox/settings.ts";
import { openRailStates, type RailStates } from "./rails/states.ts";
import { deferMaxMs } from "./rails/steps.ts";
import { pollMs, startRailWorkers } from "./rails/workers.ts";
import { type ResolutionDeps, sweepResolutions } from "./resolutions/resolve.ts";
import { openResolutionStore } from "./resolutions/store.ts";
import { operationsRpc, payoutRpc, sandboxRpc } from "./rpc.ts";
import { startOrders } from "./start-orders.ts";
import { openVelocityLimits, type VelocityLimits } from "./velocity/limits.ts";
import { createVelocityRoom, type VelocityRoom } from "./velocity/room.ts";
import { openUsage, type UsageStore } from "./velocity/usage.ts";

/** How often the holds of new payouts are closed. */
const closeMs = 100;
const sweepMs = 1_000;
/** How often payouts are marked whose events are published, and changes of status counted. */
const settleMs = 200;
/** How long a payout's first mark waits for its next one. */
const markWithinMs = 1_000;
/** How late events and changes are found that a process left behind, and how often looked for. */
const orphanedAfterMs = 2_000;
const lookEveryMs = 500;
/** How late the ledger gets movements of accounts that another process wrote. */
const recordMs = 250;
/** How late work is found that a wrong clock deferred. */
const recallMs = 5_000;
/** How late limits and controls of merchants are in force that another process set. */
const settingsMs = 1_000;
/** How long a killed process delays the sweeps. */
const sweepLeaseMs = 3_000;
/** Audit entries that a start looks at: a killed process wrote its last one a moment before. */
const followedMax = 20;
/** Leased payouts that wait in this process for their next step. */
const heldMax = 1_000;

/** What a payout service runs on: connections of a process, or of a simulation. */
export type PayoutServiceOptions = {
  readonly database: Database;
  readonly bus: Bus;
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly rails: readonly Rail[];
  /** That of them which is simulated, and what merchants set of it; absent in live mode. */
  readonly sandbox?: { readonly rail: SandboxRail; readonly settings: SandboxSettings } | undefined;
  /** Of the rails on chains. */
  readonly wallets?: readonly ChainWallet[];
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
  readonly metrics?: PayoutMetrics;
  /** What a person needs a second one for; absent in a simulation, which has no persons. */
  readonly approvals?: LedgerApprovals;
  /** What files of banks are sealed with; absent where there are none. */
  readonly bankSealer?: Seals | undefined;
  /** The same for the house's money at rails. */
  readonly treasuryApprovals?: LedgerApprovals;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/** Opens the stores, starts the relay, the rail workers and the sweeps, and answers the RPCs. */
export async function startPayoutService(options: PayoutServiceOptions) {
  const { database, bus, quote, beneficiary, mode, clock, metrics, log } = options;
  let onMoved = (): void => undefined;
  const ledger = openLedger(database, {
    onMoved: () => onMoved(),
    onRetried: () => metrics?.retried(),
  });
  const payouts = openPayouts(database);
  await freeLeases(payouts, options.place);
  const closer = createHoldCloser(ledger);
  const bindings = openOperationBindings(database);
  const velocity = await openVelocityLimits(database);
  const controls = await openPayoutControls(database);
  const usage = openUsage(database);
  const duplicates = createDuplicateGuard({ database, payouts, ledger, controls });
  const room = createVelocityRoom(velocity, controls, usage);
  const stores = { ledger, payouts, room, duplicates, controls };
  const deps = { ...stores, clock, quote, beneficiary, closeHold: closer.close };
  const resolutions = openResolutionStore(database);
  const audit = openAuditStore<AuditAction>(database);
  const states = openRailStates(database, clock);
  await followTrail(options.rails, audit, states);
  await followSettings(audit, { "velocity.set": velocity, "controls.set": controls }, options.log);
  const rails = createRailDirectory(options.rails, options.routes, states.isPaused);
  const background = startBackground(
    options,
    { ...deps, rails, resolutions, audit, velocity, controls, usage },
    closer,
  );
  const { counts, leaseNew, onCreated, onChanged, wake, stop } = background;
  const work = { leaseNew, onCreated, onChanged, wake, rails, bindings };
  const orders = startOrders({ ...deps, ...work, database, bus, mode, log });
  onMoved = background.wakeRecorder;
  const callbacks = openRailCallbacks(database);
  const operations = {
    ...options,
    ...stores,
    ...work,
    callbacks,
    states,
    resolutions,
    audit,
    velocity,
    bank: openBankStore(database),
  };
  return {
    rpc: payoutRpc({ ...options, ...deps, ...work, counts }),
    /** Of payouts that are made later. */
    orders: orders.rpc,
    /** Of a sandbox; absent in live mode. */
    sandbox:
      options.sandbox &&
      sandboxRpc({ ...deps, ...options.sandbox, audit, wake, onChanged, bindings }),
    /** For operators, rails and subscribers. */
    operations: operationsRpc(operations),
    /** What statements and receipts are read from. */
    stores: { ledger, payouts },
    /** Receives a callback of a rail in this process, as the RPC does. */
    receive: (message: ReceivedMessage, by: Change) => receiveCallback(operations, message, by),
    /** Has rail workers look at what is due. */
    wake,
    /** What the treasury's gauges are read from. */
    treasury: { ledger, rails },
    /** Ends the background work after its present runs. */
    stop: async () => {
      await orders.stop();
      await stop();
    },
  };
}

/** Applies the last audit entry of each rail, which a crash may have kept from its state. */
async function followTrail(rails: readonly Rail[], audit: AuditStore, states: RailStates) {
  for (const { name } of rails) {
    const last = await audit.lastOf(name);
    if (last !== undefined) await states.follow(last);
  }
}

/** Applies settings that were set last, which a crash may have kept to the audit trail. */
async function followSettings(
  audit: AuditStore,
  settings: Partial<Record<AuditAction, Pick<VelocityLimits | PayoutControls, "follow">>>,
  log: Log,
) {
  for (const [action, { follow }] of Object.entries(settings)) {
    const set = await audit.lastWith(action as AuditAction, followedMax).catch((error: unknown) => {
      log.error({ err: error, action }, "what was set last is not looked for");
      return [];
    });
    for (const entry of set.toReversed()) await follow(entry);
  }
}

type BackgroundDeps = Omit<ExecuteDeps & ResolutionDeps, "wake" | "leaseNew" | "onCreated"> & {
  readonly room: VelocityRoom;
  readonly rails: RailDirectory;
  readonly velocity: VelocityLimits;
  readonly controls: PayoutControls;
  readonly usage: UsageStore;
};

/** Starts what publishes the events of payouts and takes payouts to their rails. */
function startWork(options: PayoutServiceOptions, deps: BackgroundDeps) {
  const { bus, place, railWorkers, stuckAfterMs, log, metrics, tracing } = options;
  const { payouts, clock } = deps;
  const counts = openPayoutCounts(deps.ledger, metrics?.countRead);
  let wakeAt = (_dueAt: Date): void => undefined;
  const onHeld = (dueAt: Date) => wakeAt(dueAt);
  const leases = createLeases(payouts, clock, place, {
    heldMax,
    lookEveryMs: pollMs,
    onHeld,
    onTakenOver: metrics?.takenOver,
  });
  const { isInHand, leaseNew } = leases;
  const marking = { isInHand, markWithinMs, orphanedAfterMs, lookEveryMs };
  const outbox = openPayoutOutbox({ payouts, clock, ...marking });
  const relay = startRelay({ outbox, bus, log });
  const onChanged = (owed: OwedEvent) => {
    outbox.add(owed);
    const status = announcedBy(owed.event);
    if (status !== undefined) metrics?.changed(status);
    relay.wake();
  };
  const workers = startRailWorkers(
    {
      ...deps,
      leases,
      stuckAfterMs,
      log,
      tracing,
      onChanged,
      railCalled: metrics?.railCalled,
      silenceOf: options.sandbox?.settings.silenceOf,
    },
    railWorkers,
  );
  wakeAt = workers.wakeAt;
  const onCreated = ({ payout, origin, events }: Created, lease: Lease | undefined) => {
    for (const event of events) onChanged({ payoutId: payout.id, origin, event });
    if (lease === undefined) return workers.wake();
    const { token: leaseToken, until } = lease;
    leases.hold({ payout, leaseToken, until, origin, calls: [] }, clock.now());
  };
  const settle = () => outbox.settle().then(() => false);
  const loops = [
    ...[relay, workers],
    startLoop({ name: "outbox-settle", everyMs: settleMs, run: settle, log }),
  ];
  const stop = async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    // What is not marked now is published once more by another process.
    const lost = (error: unknown) => log.warn({ err: error }, "published events not marked");
    await outbox.settle(true).catch(lost);
  };
  return { counts, leaseNew, onCreated, onChanged, wake: workers.wake, stop };
}

/** Starts what runs beside the RPCs; `wake` is called when there is work on a payout. */
function startBackground(options: PayoutServiceOptions, deps: BackgroundDeps, closer: HoldCloser) {
  const { database, log, tracing } = options;
  const { payouts, clock } = deps;
  const { stop: stopWork, ...work } = startWork(options, deps);
  const sweepDeps = { ...deps, ...work, log, tracing };
  const lease = createSweepLease(database, "sweeps", sweepLeaseMs);
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    startLoop({ name, everyMs, run, log });
  /** One process sweeps, the one with the lease. */
  const sweep = (name: string, everyMs: number, run: () => Promise<void>) =>
    loop(name, everyMs, async () => {
      if ((await lease.hold()) !== undefined) await run();
      return false;
    });
  const recall = () => recallWork(payouts, clock.now(), deferMaxMs).then(() => false);
  const recorder = sweep("ledger-recorder", recordMs, () => recordRecent(deps.ledger, options.bus));
  const loops = [
    recorder,
    loop("hold-closer", closeMs, closer.flush),
    sweep("hold-sweep", sweepMs, () => sweepHolds(sweepDeps)),
    // In every process: repeated it changes nothing, and no lease may keep it from its turn.
    loop("work-recall", recallMs, recall),
    sweep("velocity-sweep", sweepMs, () => sweepReservations(sweepDeps)),
    loop("merchant-settings", settingsMs, async () => {
      const { velocity, controls } = deps;
      const all = [velocity, controls, options.sandbox?.settings];
      await Promise.all(all.map((each) => each?.refresh()));
      return false;
    }),
    sweep("resolution-sweep", sweepMs, () => sweepResolutions(sweepDeps)),
  ];
  const stop = async () => {
    await Promise.all([stopWork(), ...loops.map((loop) => loop.stop())]);
    await lease.release();
  };
  return { ...work, wakeRecorder: recorder.wake, stop };
}
