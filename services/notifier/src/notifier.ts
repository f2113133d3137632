import type { ServiceImpl } from "@connectrpc/connect";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { AddressRules } from "./domain/address.ts";
import type { Slots } from "./domain/fairness.ts";
import { createEventMetrics, type EventMetrics } from "./event-metrics.ts";
import { createFanOut, type FanOut } from "./fan-out.ts";
import { notifierRpc } from "./rpc.ts";
import { openArrivalStore } from "./store/arrival-store.ts";
import { openBacklogStore } from "./store/backlog-store.ts";
import { openChallengeStore } from "./store/challenge-store.ts";
import { type DeliveryStore, openDeliveryStore } from "./store/delivery-store.ts";
import { type EndpointStore, openEndpointStore } from "./store/endpoint-store.ts";
import { type EventStore, openEventStore } from "./store/event-store.ts";
import { type FeedStore, openFeedStore } from "./store/feed-store.ts";
import { openHealthStore } from "./store/health-store.ts";
import { openLineStore } from "./store/line-store.ts";
import { openRedeliveryStore, type RedeliveryStore } from "./store/redelivery-store.ts";
import { openReplayStore, type ReplayStore } from "./store/replay-store.ts";
import { openShardStore } from "./store/shard-store.ts";
import { openWorkStore, type WorkStore } from "./store/work-store.ts";
import type { AttemptDeps } from "./worker/attempt.ts";
import { createDispatcher, type Dispatcher, slotsDefault } from "./worker/dispatcher.ts";
import { createWorkMetrics, type WorkMetrics } from "./worker/metrics.ts";
import { createReplayer, type Replayer } from "./worker/replayer.ts";

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
  const lines = openLineStore(deliveries, events);
  const work = openWorkStore(deliveries);
  const metrics = createWorkMetrics(options.metrics);
  let replayWoken = (): void => undefined;
  const healths = await openHealthStore(database);
  const dispatcher = createDispatcher({
    ...{ ...options, work, lines, endpoints, healths, metrics, slots, elapsed },
    shards: openShardStore(database),
  });
  const { admission, release } = dispatcher;
  const fanOut = createFanOut({
    ...{ endpoints, events, deliveries, lines, admission, clock, release },
    arrivals: openArrivalStore(database),
  });
  let woken = (): void => undefined;
  const wake = (): void => woken();
  const unpark = (): void => {
    dispatcher.unpark();
    wake();
  };
  const stores = { endpoints, events, feeds, deliveries, redeliveries, replays };
  const replayer = createReplayer({ ...stores, clock, log, wake });
  const wakeReplayer = (): void => replayWoken();
  const rpc = notifierRpc({
    ...{ ...options, ...stores, fanOut, wake, unpark, wakeReplayer },
    mustVerify: options.policy === "public" || options.verifyUrls === true,
    challenges: openChallengeStore(database),
    healths,
    backlogs: openBacklogStore(deliveries, elapsed),
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
