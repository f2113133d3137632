import type { ServiceImpl } from "@connectrpc/connect";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { AddressPolicy } from "./domain/address.ts";
import type { Slots } from "./domain/fairness.ts";
import { createFanOut, type FanOut } from "./fan-out.ts";
import { notifierRpc } from "./rpc.ts";
import { type DeliveryStore, openDeliveryStore } from "./store/delivery-store.ts";
import { type EndpointStore, openEndpointStore } from "./store/endpoint-store.ts";
import { type EventStore, openEventStore } from "./store/event-store.ts";
import { openLineStore } from "./store/line-store.ts";
import { openRedeliveryStore, type RedeliveryStore } from "./store/redelivery-store.ts";
import { openReplayStore, type ReplayStore } from "./store/replay-store.ts";
import { openWorkStore, type WorkStore } from "./store/work-store.ts";
import type { AttemptDeps } from "./worker/attempt.ts";
import { createDispatcher, type Dispatcher, slotsDefault } from "./worker/dispatcher.ts";
import { createWorkMetrics, type WorkMetrics } from "./worker/metrics.ts";
import { createReplayer, type Replayer } from "./worker/replayer.ts";
import { createSettler } from "./worker/settler.ts";

export type NotifierOptions = AttemptDeps & {
  readonly database: Database;
  readonly policy: AddressPolicy;
  /** Where this process is, `host:port`: of no other one that runs. */
  readonly place: string;
  readonly metrics: Metrics;
  readonly slots?: Slots;
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
  readonly deliveries: DeliveryStore;
  readonly redeliveries: RedeliveryStore;
  readonly replays: ReplayStore;
  readonly metrics: WorkMetrics;
  /** Calls this whenever something is due or a slot is free. */
  onWake(wake: () => void): void;
  /** Calls this whenever there is a new replay. */
  onReplay(wake: () => void): void;
};

/** Opens the stores and builds what stands on them. */
export async function createNotifier(options: NotifierOptions): Promise<Notifier> {
  const { database, clock, log, slots = slotsDefault } = options;
  const endpoints = await openEndpointStore(database);
  const events = await openEventStore(database);
  const deliveries = await openDeliveryStore(database);
  const redeliveries = openRedeliveryStore(deliveries);
  const replays = await openReplayStore(database, options.place);
  const lines = openLineStore(deliveries, events);
  const work = openWorkStore(deliveries, options.place);
  await work.freeLeases(clock.now());
  await replays.freeLeases(clock.now());
  const metrics = createWorkMetrics(options.metrics);
  let woken = (): void => undefined;
  const wake = (): void => woken();
  let replayWoken = (): void => undefined;
  const fanOut = createFanOut({ endpoints, events, deliveries, lines, clock, wake });
  const settler = createSettler({ work, lines, clock, log });
  const dispatcher = createDispatcher({
    ...options,
    ...{ work, endpoints, settler, metrics, slots, freed: wake },
  });
  const stores = { endpoints, events, deliveries, redeliveries, replays };
  const replayer = createReplayer({ ...stores, clock, log, wake });
  const wakeReplayer = (): void => replayWoken();
  const rpc = notifierRpc({ ...options, ...stores, fanOut, wake, wakeReplayer });
  return {
    ...stores,
    ...{ rpc, fanOut, dispatcher, replayer, work, metrics },
    onWake: (listener) => {
      woken = listener;
    },
    onReplay: (listener) => {
      replayWoken = listener;
    },
  };
}
