import type { Client } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type ManualLoops, startLoop } from "@disburse/chassis/loop.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease, type SweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import type { Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { createWake, type Wake } from "@disburse/chassis/wake.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { openLedger, openPayoutCounts } from "@disburse/ledger/accounts.ts";
import type { RailRpc } from "@disburse/rail/rail-package.ts";
import type { MoneyApprovals } from "./accounts/approvals.ts";
import { openBatches } from "./batches/document.ts";
import { batchOutbox } from "./batches/events.ts";
import { startBatchRunner } from "./batches/runner.ts";
import { createDuplicateGuard } from "./controls/duplicates.ts";
import { openPayoutControls } from "./controls/store.ts";
import { sweepAccounts } from "./execution/holds.ts";
import { sweepReservations } from "./execution/reservation-sweep.ts";
import type { PayoutMetrics } from "./metrics.ts";
import { openBatchLines, openScheduledPayouts, openWaitingPayouts } from "./orders/document.ts";
import { heldOutbox, heldSchedule } from "./orders/events.ts";
import { startOrderWorker } from "./orders/execute-order.ts";
import { openReservations } from "./orders/reservation.ts";
import type { Lease } from "./payouts/document.ts";
import { createLeases } from "./payouts/leases.ts";
import type { AuditAction } from "./payouts/operators.ts";
import { openPayoutOutbox } from "./payouts/outbox.ts";
import { type Created, openPayouts } from "./payouts/store.ts";
import { callForWork, freeLeases, recallWork } from "./payouts/work.ts";
import { openRailCallbacks, type ReceivedMessage, receiveCallback } from "./rails/callbacks.ts";
import type { RailDirectory } from "./rails/directory.ts";
import type { SandboxRail } from "./rails/sandbox/rail.ts";
import type { SandboxScenarios } from "./rails/sandbox/scenario-store.ts";
import type { RailStates } from "./rails/states.ts";
import { deferMaxMs } from "./rails/steps.ts";
import { pollMs, startRailWorkers } from "./rails/worker.ts";
import { operatorRpc, orderRpc, payoutRpc, sandboxRpc } from "./rpc.ts";
import { openVelocityLimits } from "./velocity/limits.ts";
import { createVelocityReservations } from "./velocity/reservations.ts";
import { openUsage } from "./velocity/usage.ts";
import { endedAttempts } from "./waiting/attempts.ts";
import { heldWait, waitingOutbox } from "./waiting/events.ts";
import { runWaiting } from "./waiting/worker.ts";

const sweepMs = 1_000;
/** The interval at which payouts are marked with their published events. */
const settleMs = 200;
/** The maximum delay before this process finds work that a wrong clock deferred. */
const recallMs = 5_000;
/**
 * The maximum delay before this process applies limits and controls that another process changed.
 */
const rulesMs = 1_000;
/** The maximum time for which a killed process delays the sweeps. */
const sweepLeaseMs = 3_000;
/**
 * The number of last audit entries that a starting process applies again. A killed process may have
 * written its last entry without applying it.
 */
const followedMax = 20;
/** Limits and times for the payouts and events that a process keeps in memory. */
const keeping = {
  /** The maximum number of leased payouts that wait in this process. */
  heldMax: 1_000,
  workEveryMs: pollMs,
  /**
   * The longest time that an event stays unmarked to share one write with the payout's next events.
   */
  markWithinMs: 1_000,
  /**
   * An unpublished event of this age was left by another process. `eventsEveryMs` is the interval
   * of the search.
   */
  orphanedAfterMs: 2_000,
  eventsEveryMs: 500,
};
const keepingNothing: typeof keeping = {
  heldMax: 0,
  workEveryMs: 0,
  markWithinMs: 0,
  orphanedAfterMs: 0,
  eventsEveryMs: 0,
};

export type PayoutServiceOptions = {
  readonly database: Database;
  readonly bus: Bus;
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly rails: RailDirectory;
  /** Stores which rails operators have paused. */
  readonly states: RailStates;
  /** The simulated rail and its scenarios of merchants. Absent in live mode. */
  readonly sandbox?:
    | { readonly rail: SandboxRail; readonly scenarios: SandboxScenarios }
    | undefined;
  /** Operator RPCs of the rail packages. */
  readonly railRpc?: RailRpc | undefined;
  /** A payout that is still open this long after its submission gets an exception. */
  readonly stuckAfterMs: number;
  /** The number of payouts that are processed concurrently. */
  readonly railWorkers: number;
  readonly mode: Mode;
  /** The address of this process, `host:port`. Unique among the running processes. */
  readonly place: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: PayoutMetrics;
  /** Proposals that await a second operator. */
  readonly proposals: Pick<ServiceApprovals, "guard" | "own">;
  /**
   * Requires a second operator for large credits and reversals. Absent in a simulation, which has
   * no operators.
   */
  readonly approvals?: MoneyApprovals;
  /** Requires a second operator for movements of the platform's money at rails. */
  readonly treasuryApprovals?: MoneyApprovals;
  /** Absent if tracing is off. */
  readonly tracing?: Tracing | undefined;
  /**
   * Tests only: a test runs each loop itself, and the process keeps nothing in memory between runs.
   */
  readonly manual?: ManualLoops | undefined;
};

/** Opens the stores, starts the background work and creates the RPC handlers. */
export async function startPayoutService(options: PayoutServiceOptions) {
  const wakes = {
    work: createWake(),
    stored: createWake(),
    credited: createWake(),
    toppedUp: createWake(),
  };
  const batchDue = createWake();
  const parts = await openParts(options, wakes);
  await followTrail(parts);
  await followRules(parts);
  const loops = startLoops(parts, wakes);
  const ordering = startOrders(parts, batchDue);
  const { sandbox } = options;
  return {
    rpc: payoutRpc(parts),
    /** RPC handlers of scheduled payouts and batches. */
    orders: orderRpc({ ...parts, wakeRunner: batchDue.notify }),
    /** RPC handlers of a sandbox. Absent in live mode. */
    sandbox: sandbox && sandboxRpc({ ...parts, ...sandbox }),
    /** RPC handlers for operators, rails and subscribers. */
    operations: operatorRpc(parts),
    /** The stores and functions that the service is built from. */
    parts,
    /** Receives a rail's callback without a network call, like the RPC does. */
    receive: (message: ReceivedMessage, by: Change) => receiveCallback(parts, message, by),
    /** Makes workers poll the rails of these payouts now. */
    callForWork: async (payoutIds: readonly string[]): Promise<void> => {
      await callForWork(parts.payouts, payoutIds, options.clock.now());
      parts.wake();
    },
    /** Stops the background work when its current runs have ended. */
    stop: async () => {
      await ordering.stop();
      await loops.stop();
    },
  };
}

/** Notifications that start a run of the service's loops. */
type Wakes = {
  /** Notified when a payout is due for its worker. */
  readonly work: Wake;
  /** Notified when a payout's event was stored and can be published. */
  readonly stored: Wake;
  /** Notified when an account was credited, to publish the credit. */
  readonly credited: Wake;
  /** Notified when an account was credited, because payouts may wait for its money. */
  readonly toppedUp: Wake;
};

type Parts = Awaited<ReturnType<typeof openParts>>;

function openAccounts({ database, metrics, log }: PayoutServiceOptions, wakes: Wakes) {
  return openLedger(database, {
    onCredited: () => {
      wakes.credited.notify();
      wakes.toppedUp.notify();
    },
    onLow: wakes.credited.notify,
    onRetried: () => metrics?.retried(),
    onUnrecorded: (account_id: string, error: unknown) =>
      log.warn(
        { err: error, account_id },
        "copying an account's movements to the ledger failed; it will be retried",
      ),
  });
}

/** Opens the stores and creates the functions that RPCs and loops share. */
async function openParts(options: PayoutServiceOptions, wakes: Wakes) {
  const { work, stored } = wakes;
  const { database, clock, metrics, place } = options;
  const keeps = options.manual === undefined ? keeping : keepingNothing;
  const ledger = openAccounts(options, wakes);
  const payouts = openPayouts(database);
  const waiting = openWaitingPayouts(database);
  await freeLeases(payouts, place);
  const velocity = await openVelocityLimits(database);
  const controls = await openPayoutControls(database);
  const usage = openUsage(database);
  const orders = openScheduledPayouts(database);
  const leases = createLeases(payouts, clock, place, {
    heldMax: keeps.heldMax,
    pollEveryMs: keeps.workEveryMs,
    work,
    onTakenOver: metrics?.takenOver,
  });
  const outbox = openPayoutOutbox({
    payouts,
    clock,
    stored,
    isHeld: leases.isHeld,
    markWithinMs: keeps.markWithinMs,
    orphanedAfterMs: keeps.orphanedAfterMs,
    pollEveryMs: keeps.eventsEveryMs,
    onChange: (status, { payoutId: payout_id, origin }) => {
      metrics?.changed(status);
      forRequest(origin, () => options.log.info({ payout_id, status }, "payout status changed"));
    },
  });
  return {
    ...options,
    ledger,
    payouts,
    velocity,
    controls,
    usage,
    counts: openPayoutCounts(ledger, metrics?.countRead),
    countRead: metrics?.countRead,
    leases,
    outbox,
    leaseNew: leases.leaseNew,
    onCreated: (made: Created, lease: Lease | undefined): void => {
      outbox.addCreated(made);
      leases.begin(made, lease);
    },
    onChanged: outbox.add,
    wake: leases.pollNow,
    reservations: createVelocityReservations(velocity, controls, usage),
    duplicates: createDuplicateGuard({ database, payouts, ledger, controls }),
    bindings: openOperationBindings(database),
    orders,
    openReservations: openReservations({ orders, ledger }),
    waiting,
    endedAttempts: (holdIds: readonly string[]) => endedAttempts(waiting, holdIds),
    watchPrimary: database.watchPrimary,
    batches: openBatches(database),
    lines: openBatchLines(database),
    callbacks: openRailCallbacks(database),
    audit: openAuditStore<AuditAction>(database),
    silenceOf: options.sandbox?.scenarios.silenceOf,
    railCalled: metrics?.railCalled,
    settled: metrics?.settled,
  };
}

/**
 * Applies the last audit entry of each rail. A crash may have come between the entry and the rail's
 * state.
 */
async function followTrail({ rails, states, audit }: Parts) {
  for (const { name } of rails.all) {
    const last = await audit.lastOf(name);
    if (last !== undefined) await states.follow(last);
  }
}

/**
 * Applies the last audit entries about merchants' rules. A crash may have come between an entry and
 * the rules.
 */
async function followRules({ audit, velocity, controls, log }: Parts) {
  const rules = [
    ["velocity.set", velocity],
    ["controls.set", controls],
  ] as const;
  for (const [action, { follow }] of rules) {
    const set = await audit.lastWith(action, followedMax).catch((error: unknown) => {
      log.error(
        { err: error, action },
        "could not read the last changes of the merchants' rules from the audit trail; after a crash, a change may not have taken effect",
      );
      return [];
    });
    for (const entry of set.toReversed()) await follow(entry);
  }
}

/**
 * Starts the workers that execute scheduled payouts and batches, and the relays of their events.
 */
function startOrders(parts: Parts, batchDue: Wake) {
  const { bus, log, manual, batches } = parts;
  const makers = [
    startOrderWorker(parts),
    startBatchRunner({ ...parts, orders: parts.lines, batchDue }),
  ];
  const outboxes = [
    batchOutbox(batches),
    heldOutbox(parts.orders, heldSchedule),
    heldOutbox(parts.waiting, heldWait),
    waitingOutbox(parts.waiting, parts.clock),
  ];
  const relays = outboxes.map((outbox) => startRelay({ outbox, bus, log, manual }));
  return {
    stop: async (): Promise<void> => {
      await Promise.all(makers.map((each) => each.stop()));
      await Promise.all(relays.map((each) => each.stop()));
    },
  };
}

/** Starts the rail workers, the relay of payout events, and the sweeps. */
function startLoops(parts: Parts, { work, stored, credited, toppedUp }: Wakes) {
  const { database, bus, log, manual, clock, payouts, outbox, railWorkers: count } = parts;
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>, wake?: Wake) =>
    startLoop({ name, everyMs, wake, run, log, manual });
  const each = (name: string, everyMs: number, run: () => Promise<unknown>) =>
    loop(name, everyMs, () => run().then(() => false));
  const leases: SweepLease[] = [];
  /**
   * Runs a sweep in one process at a time, the holder of its lease. Each sweep has its own lease.
   * With a shared lease, one sweep could keep another from running.
   */
  const sweep = (name: string, everyMs: number, run: () => Promise<void>, wake?: Wake) => {
    const lease = createSweepLease(database, name, sweepLeaseMs);
    leases.push(lease);
    const runIfHeld = async (): Promise<boolean> => {
      if ((await lease.hold()) !== undefined) await run();
      return false;
    };
    return loop(name, everyMs, runIfHeld, wake);
  };
  const stores = [parts.velocity, parts.controls, parts.sandbox?.scenarios];
  const loops = [
    startRelay({ outbox, bus, log, manual, wake: stored }),
    startRailWorkers(parts, { count, work, manual }),
    each("outbox-settle", settleMs, () => outbox.settle()),
    sweep("account-sweep", sweepMs, () => sweepAccounts(parts), credited),
    // Every process runs this task without a lease. A repeated run is harmless, and a lease could
    // delay the task.
    each("work-recall", recallMs, () => recallWork(payouts, clock.now(), deferMaxMs)),
    sweep("velocity-sweep", sweepMs, () => sweepReservations(parts)),
    sweep("waiting-payouts", sweepMs, () => runWaiting(parts), toppedUp),
    each("merchant-rules", rulesMs, () => Promise.all(stores.map((each) => each?.refresh()))),
  ];
  return {
    stop: async (): Promise<void> => {
      await Promise.all(loops.map((running) => running.stop()));
      // Another process publishes again the events that are not marked here.
      const lost = (error: unknown) =>
        log.warn(
          { err: error },
          "could not mark events as published; another process publishes them again",
        );
      await outbox.settle(true).catch(lost);
      await Promise.all(leases.map((lease) => lease.release()));
    },
  };
}
