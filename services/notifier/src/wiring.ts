import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import {
  bindOperations,
  type KeyContent,
  openOperationBindings,
} from "@disburse/chassis/mutations/bindings.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { openShardStore } from "./deliveries/cluster/shard-store.ts";
import type { AttemptDeps } from "./deliveries/dispatch/attempt.ts";
import {
  createDispatcher,
  drainMs,
  slotsDefault,
  startDispatch,
} from "./deliveries/dispatch/dispatcher.ts";
import { createWorkMetrics } from "./deliveries/dispatch/metrics.ts";
import { openWorkStore } from "./deliveries/dispatch/work-store.ts";
import { openFailingStore } from "./deliveries/failing-store.ts";
import { openOrderStore } from "./deliveries/order/store.ts";
import { sweepExpired } from "./deliveries/retention.ts";
import type { Slots } from "./deliveries/rules/fairness.ts";
import { openBacklogStore, openDeliveryStore } from "./deliveries/store.ts";
import { openChallengeStore } from "./endpoints/challenge-store.ts";
import { createEndpointChanges } from "./endpoints/changes.ts";
import { openHealthStore } from "./endpoints/health-store.ts";
import { openPausedStore } from "./endpoints/paused-store.ts";
import { openReportStore } from "./endpoints/report-store.ts";
import { openEndpointStore } from "./endpoints/store.ts";
import { createFailureReports } from "./events/failure-reports.ts";
import { createFanOut } from "./events/fan-out.ts";
import { openFeedStore } from "./events/feed-store.ts";
import { createUnreadableCount } from "./events/intake.ts";
import { createPauser } from "./events/pauser.ts";
import { sandboxWebhooksRpc } from "./events/sandbox.ts";
import { openEventStore } from "./events/store.ts";
import { openTransactionTypes } from "./events/transaction-types.ts";
import { type MailDelivery, openMails } from "./mails/mailer.ts";
import { createReplayer } from "./replays/replayer.ts";
import { openReplayStore } from "./replays/store.ts";
import { notifierRpc } from "./rpc.ts";
import type { AddressRules } from "./sender/rules/address.ts";

export type NotifierOptions = AttemptDeps & {
  readonly database: Database;
  readonly policy: AddressRules["policy"];
  readonly ownNetworks?: AddressRules["ownNetworks"];
  readonly ownPorts?: AddressRules["ownPorts"];
  /** If true, URLs are verified before they get events. In live mode this is always true. */
  readonly verifyUrls?: boolean;
  /** The place that `processPlace` returns. No other running process may have the same place. */
  readonly place: string;
  readonly metrics: Metrics;
  readonly keyContent: KeyContent;
  /** Absent if no operators use the service. */
  readonly approvals?: Pick<ServiceApprovals, "guard">;
  readonly slots?: Slots;
  /** A monotonic clock in milliseconds. The default is the machine's clock. */
  readonly elapsed?: () => number;
  /** Absent if the deployment sends no e-mails. */
  readonly mails?: MailDelivery | undefined;
};

function openStores(options: NotifierOptions) {
  const { database, place } = options;
  const events = openEventStore(database);
  return {
    endpoints: openEndpointStore(database),
    events,
    types: openTransactionTypes(database),
    feeds: openFeedStore(database, events),
    deliveries: openDeliveryStore(database),
    replays: openReplayStore(database, place),
    mails: openMails({ ...options, delivery: options.mails }),
  };
}

function openDeliveryStores(
  { database }: Pick<NotifierOptions, "database">,
  { deliveries, events }: ReturnType<typeof openStores>,
) {
  return {
    order: openOrderStore(deliveries, events),
    work: openWorkStore(deliveries),
    failing: openFailingStore(deliveries),
    healths: openHealthStore(database),
    shards: openShardStore(database),
  };
}

/** The parts of a notifier. `startWorker` runs them. */
export type Notifier = ReturnType<typeof createNotifier>;

export function createNotifier(options: NotifierOptions) {
  const { database, clock, log, slots = slotsDefault } = options;
  const elapsed = options.elapsed ?? (() => performance.now());
  const stores = openStores(options);
  const { endpoints, deliveries } = stores;
  const { order, work, failing, healths, shards } = openDeliveryStores(options, stores);
  const metrics = createWorkMetrics(options.metrics);
  const wakes = { slotFree: createWake(), unseen: createWake(), replayCreated: createWake() };
  const { slotFree } = wakes;
  const stored = { order, work, failing, healths, shards, endpoints };
  const delivering = { ...stored, metrics, slots, elapsed, slotFree };
  const dispatcher = createDispatcher({ ...options, ...delivering });
  const { admission, release } = dispatcher;
  const { bulkInsert } = database;
  const fanOut = createFanOut({ ...stores, order, admission, clock, release, bulkInsert });
  /** Wakes the dispatcher. A delivery may be due that the dispatcher has not found yet. */
  const wake = (): void => {
    wakes.unseen.notify();
    slotFree.notify();
  };
  const resumeSuspended = (): void => {
    dispatcher.resumeSuspended();
    wake();
  };
  const changes = createEndpointChanges(endpoints, options.sealer);
  const merchants = openPausedStore(endpoints);
  const noticing = { database, endpoints, merchants, fanOut, mails: stores.mails, clock, log };
  const { metrics: registry } = options;
  const pauser = createPauser({
    ...noticing,
    changes,
    dispatcher,
    deliveries: failing,
    metrics: registry,
  });
  const reports = openReportStore(database);
  const failureReports = createFailureReports({ ...noticing, reports });
  const replayer = createReplayer({ ...stores, clock, log, tracing: options.tracing, wake });
  const rpcDeps = {
    ...options,
    ...stores,
    fanOut,
    wake,
    resumeSuspended,
    wakeReplayer: wakes.replayCreated.notify,
    mustVerify: options.policy === "public" || options.verifyUrls === true,
    audit: openAuditStore<"event.published">(database),
    challenges: openChallengeStore(database),
    healths,
    cancelPending: deliveries.cancelPending,
    readBacklog: openBacklogStore(deliveries, elapsed).read,
  };
  const bindings = openOperationBindings(database, options.keyContent);
  return {
    ...stores,
    fanOut,
    dispatcher,
    replayer,
    pauser,
    failureReports,
    work,
    metrics,
    rpc: bindOperations(NotifierService, notifierRpc(rpcDeps), bindings, {
      own: ["publishEvent"],
    }),
    sandboxRpc: bindOperations(NotifierSandboxService, sandboxWebhooksRpc(rpcDeps), bindings),
    countUnreadable: createUnreadableCount(options.metrics),
    wakes,
  };
}

/** Interval at which health is saved, for operators and for the next owner of an endpoint. */
const saveHealthEveryMs = 3_000;
/** Interval at which due rechecks run. A recheck ends a wait whose notification was lost. */
const recheckEveryMs = 5_000;
/**
 * Polling interval while replays are running. Each replay queues one page a second. After a while
 * without replays, polling slows down to `replayRestMs`.
 */
const replayEveryMs = 200;
const replayRestMs = 1_000;
/**
 * Interval at which endpoints are paused. Pausing is not urgent, because it happens after one or
 * five days.
 */
const pauseEveryMs = 10_000;
/** Interval at which failing endpoints are reported. It is short beside the 10 minutes before. */
const reportEveryMs = 10_000;
/**
 * Interval at which due digests and e-mails are looked for, and the interval while there are none.
 * Both are short beside the time of a digest.
 */
const mailEveryMs = 1_000;
const mailRestMs = 5_000;
const measureEveryMs = 10_000;
const sweepEveryMs = 600_000;
/**
 * Maximum wait for the last write when the worker stops, because the database may be unavailable.
 */
const leaveMs = 3_000;

/**
 * Starts the worker, which delivers until it is stopped. When it stops, attempts in flight can
 * finish.
 */
export function startWorker(
  parts: Omit<Notifier, "rpc" | "sandboxRpc" | "work">,
  clock: Clock,
  log: Log,
): { stop(): Promise<void> } {
  const { dispatcher, metrics } = parts;
  const every = (everyMs: number, name: string, run: () => Promise<boolean>) =>
    startLoop({ name: `webhook-${name}`, everyMs, run, log });
  const deliver = startDispatch(dispatcher, parts.wakes, log);
  let isJoined = false;
  const replay = startLoop({
    name: "webhook-replay",
    everyMs: replayEveryMs,
    restMs: replayRestMs,
    wake: parts.wakes.replayCreated,
    log,
    run: async () => {
      // This process replaces the previous process at its place.
      if (!isJoined) await parts.replays.freeLeases(clock.now());
      isJoined = true;
      return parts.replayer.round();
    },
  });
  const { mailer } = parts.mails;
  const mail = (name: string, run: () => Promise<boolean>) =>
    startLoop({ name: `mail-${name}`, everyMs: mailEveryMs, restMs: mailRestMs, run, log });
  const others = [
    replay,
    ...(mailer ? [mail("digests", mailer.distribute), mail("send", mailer.send)] : []),
    every(measureEveryMs, "measure", async () => {
      metrics.measured(await dispatcher.figures());
      return false;
    }),
    every(sweepEveryMs, "retention", () => sweepExpired(parts, clock.now())),
    every(saveHealthEveryMs, "health", () => dispatcher.saveHealth().then(() => false)),
    every(recheckEveryMs, "order", dispatcher.recheck),
    every(pauseEveryMs, "pauses", parts.pauser.round),
    every(reportEveryMs, "failures", parts.failureReports.round),
  ];
  return {
    stop: async () => {
      // When the loop has ended, a running claim has started its deliveries. So the dispatcher can
      // leave then.
      const left = deliver.stop().then(dispatcher.leave);
      const ends = [left, ...others.map((loop) => loop.stop())];
      const late = () => undefined;
      await withTimeout(drainMs + leaveMs, () => Promise.all(ends), late);
    },
  };
}
