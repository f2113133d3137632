import { setTimeout as pause } from "node:timers/promises";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { openShardStore } from "./deliveries/cluster/shard-store.ts";
import type { AttemptDeps } from "./deliveries/dispatch/attempt.ts";
import {
  createDispatcher,
  type Dispatcher,
  slotsDefault,
  startDispatch,
} from "./deliveries/dispatch/dispatcher.ts";
import { createWorkMetrics, type WorkMetrics } from "./deliveries/dispatch/metrics.ts";
import { openWorkStore, type WorkStore } from "./deliveries/dispatch/work-store.ts";
import { openOrderStore } from "./deliveries/order/store.ts";
import { openRedeliveryStore, type RedeliveryStore } from "./deliveries/redelivery-store.ts";
import { sweepExpired } from "./deliveries/retention.ts";
import type { Slots } from "./deliveries/rules/fairness.ts";
import { type DeliveryStore, openBacklogStore, openDeliveryStore } from "./deliveries/store.ts";
import { openChallengeStore } from "./endpoints/challenge-store.ts";
import { openHealthStore } from "./endpoints/health-store.ts";
import { type EndpointStore, openEndpointStore } from "./endpoints/store.ts";
import { createFanOut, type FanOut } from "./events/fan-out.ts";
import { type FeedStore, openFeedStore } from "./events/feed-store.ts";
import { createEventMetrics, type EventMetrics } from "./events/intake.ts";
import { type EventStore, openEventStore } from "./events/store.ts";
import { createReplayer, type Replayer } from "./replays/replayer.ts";
import { openReplayStore, type ReplayStore } from "./replays/store.ts";
import { notifierRpc } from "./rpc.ts";
import type { AddressRules } from "./sender/rules/address.ts";

export type NotifierOptions = AttemptDeps & {
  readonly database: Database;
  readonly policy: AddressRules["policy"];
  readonly ownNetworks?: AddressRules["ownNetworks"];
  /** Whether URLs are verified before events go to them; in live mode they always are. */
  readonly verifyUrls?: boolean;
  /** Where this process is, of `processPlace`: of no other one that runs. */
  readonly place: string;
  readonly metrics: Metrics;
  readonly slots?: Slots;
  /** Milliseconds of a clock that nobody sets; the machine's by default. */
  readonly elapsed?: () => number;
};

/** The parts of a notifier, put together; nothing runs by itself yet. */
export type Notifier = {
  readonly rpc: ServiceImpl<typeof NotifierService>;
  readonly fanOut: FanOut;
  readonly dispatcher: Dispatcher;
  readonly replayer: Replayer;
  readonly work: WorkStore;
  readonly endpoints: EndpointStore;
  readonly events: EventStore;
  readonly feeds: FeedStore;
  readonly deliveries: DeliveryStore;
  readonly redeliveries: RedeliveryStore;
  readonly replays: ReplayStore;
  readonly metrics: WorkMetrics;
  readonly eventMetrics: EventMetrics;
  /** Calls this whenever something may be due that the dispatcher does not know of. */
  onWake(wake: () => void): void;
  /** Calls this whenever there is a new replay. */
  onReplay(wake: () => void): void;
};

/** Opens the stores and builds what stands on them. */
export async function createNotifier(options: NotifierOptions): Promise<Notifier> {
  const { database, clock, log, slots = slotsDefault } = options;
  const elapsed = options.elapsed ?? (() => performance.now());
  const endpoints = await openEndpointStore(database);
  const events = await openEventStore(database);
  const feeds = openFeedStore(database, events);
  const deliveries = await openDeliveryStore(database);
  const redeliveries = openRedeliveryStore(deliveries);
  const replays = await openReplayStore(database, options.place);
  const order = openOrderStore(deliveries, events);
  const work = openWorkStore(deliveries);
  const metrics = createWorkMetrics(options.metrics);
  let replayWoken = (): void => undefined;
  const healths = await openHealthStore(database);
  const dispatcher = createDispatcher({
    ...{ ...options, work, order, endpoints, healths, metrics, slots, elapsed },
    shards: openShardStore(database),
  });
  const { admission, release } = dispatcher;
  const fanOut = createFanOut({
    ...{ endpoints, events, deliveries, order, admission, clock, release },
    bulkInsert: database.bulkInsert,
  });
  let woken = (): void => undefined;
  const wake = (): void => woken();
  const resumeSuspended = (): void => {
    dispatcher.resumeSuspended();
    wake();
  };
  const stores = { endpoints, events, feeds, deliveries, redeliveries, replays };
  const replayer = createReplayer({ ...stores, clock, log, wake });
  const wakeReplayer = (): void => replayWoken();
  const rpc = notifierRpc({
    ...{ ...options, ...stores, fanOut, wake, resumeSuspended, wakeReplayer },
    mustVerify: options.policy === "public" || options.verifyUrls === true,
    challenges: openChallengeStore(database),
    healths,
    cancelPending: deliveries.cancelPending,
    readBacklog: openBacklogStore(deliveries, elapsed).read,
  });
  return {
    ...stores,
    ...{ rpc, fanOut, dispatcher, replayer, work, metrics },
    eventMetrics: createEventMetrics(options.metrics),
    onWake: (listener) => {
      woken = listener;
    },
    onReplay: (listener) => {
      replayWoken = listener;
    },
  };
}

/** Health is for people and for the next owner. */
const saveHealthEveryMs = 3_000;
/** A wake-up that was lost costs its wait all the same. */
const lookAgainEveryMs = 5_000;
/** Replays have a page a second. */
const replayEveryMs = 200;
/** Figures for people, not for decisions. */
const measureEveryMs = 10_000;
/** Nothing waits for it. */
const sweepEveryMs = 600_000;
/** Attempts take 15 s at most; what is cut off here is made again when its lease ends. */
const drainMs = 20_000;
/** The store is told that this process leaves, or is away: nothing is waited for after this. */
const leaveMs = 3_000;

/** Runs deliveries until it is stopped; stopping lets attempts under way end. */
export function startWorker(
  parts: Omit<Notifier, "rpc" | "work">,
  clock: Clock,
  log: Log,
): { stop(): Promise<void> } {
  const { dispatcher, metrics } = parts;
  const deliver = startDispatch(dispatcher, parts.onWake, log);
  let isJoined = false;
  const replay = startLoop({
    name: "webhook-replay",
    everyMs: replayEveryMs,
    run: async () => {
      // What a process at this place had before: whoever starts a worker has the place.
      if (!isJoined) await parts.replays.freeLeases(clock.now());
      isJoined = true;
      return parts.replayer.round();
    },
    log,
  });
  parts.onReplay(replay.wake);
  const measure = startLoop({
    name: "webhook-measure",
    everyMs: measureEveryMs,
    run: async () => {
      metrics.measured(await dispatcher.figures());
      return false;
    },
    log,
  });
  const sweep = startLoop({
    name: "webhook-retention",
    everyMs: sweepEveryMs,
    run: () => sweepExpired(parts, clock.now()),
    log,
  });
  const health = startLoop({
    name: "webhook-health",
    everyMs: saveHealthEveryMs,
    run: async () => {
      await dispatcher.saveHealth();
      return false;
    },
    log,
  });
  const order = startLoop({
    name: "webhook-order",
    everyMs: lookAgainEveryMs,
    run: dispatcher.recheck,
    log,
  });
  const others = [replay, measure, sweep, health, order];
  return {
    stop: async () => {
      const ended = new AbortController();
      const after = (ms: number) =>
        pause(ms, undefined, { signal: ended.signal }).catch(() => undefined);
      // What is being claimed has begun when its loop has ended.
      const left = deliver.stop().then(() => dispatcher.leave(after(drainMs)));
      const all = Promise.all([left, ...others.map((loop) => loop.stop())]);
      try {
        await Promise.race([all, after(drainMs + leaveMs)]);
      } finally {
        ended.abort();
      }
    },
  };
}
