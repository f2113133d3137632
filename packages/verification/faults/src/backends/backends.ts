import { type Broker, startBroker } from "@disburse/embedded/broker.ts";
import { type Engine, startEngine } from "@disburse/embedded/engine.ts";
import type { Random } from "@disburse/harness/random.ts";
import { MongoClient } from "mongodb";
import type { Places } from "../platform.ts";
import { addressOf, startNetworkProxy } from "./network-proxy.ts";
import { signalFamily } from "./process-family.ts";

/** A private database engine and broker, each behind a proxy with a constant address. */
export type FaultBackends = Awaited<ReturnType<typeof startBackends>>;

/** Enough for a long run. Leaves memory for a platform on the same machine. */
const cacheMegabytes = 256;

/** Starts both on their folders. Throws if RabbitMQ is not installed. */
export async function startBackends(folders: { engine: string; broker: string }, random: Random) {
  const { MONGODB_URI: _uri, AMQP_URL: _amqp, ...env } = process.env;
  const [engine, broker] = await Promise.all([
    startBackend<Engine>(
      (onExit) => startEngine({ dataDir: folders.engine, cacheMegabytes, env, onExit }),
      (started) => started.uri("admin"),
      random,
    ),
    startBackend<Broker>(
      async (onExit) => {
        const started = await startBroker({ dataDir: folders.broker, env, onExit });
        if (started === undefined) throw new Error("The fault run needs rabbitmq-server.");
        return started;
      },
      (started) => started.url,
      random,
    ),
  ]);
  const { username, password } = new URL(broker.current().url);
  let client: { of: Engine; mongo: MongoClient } | undefined;
  return {
    engine: engine.backend,
    broker: broker.backend,
    mongodbUri: (database: string) =>
      `mongodb://127.0.0.1:${engine.backend.proxy.port}/${database}?directConnection=true`,
    amqpUrl: `amqp://${username}:${password}@127.0.0.1:${broker.backend.proxy.port}`,
    mongo: () => {
      const of = engine.current();
      if (client?.of !== of) {
        void client?.mongo.close();
        client = { of, mongo: new MongoClient(of.uri("admin")) };
      }
      return client.mongo;
    },
    stop: async () => {
      await client?.mongo.close();
      await Promise.all([engine.backend.proxy.close(), broker.backend.proxy.close()]);
      await Promise.all([engine.current().stop(), broker.current().stop()]);
    },
  };
}

/** Starts a backend behind a proxy. `open` runs for the first start and each restart. */
async function startBackend<T extends { readonly pid: number | undefined }>(
  open: (onExit: () => void) => Promise<T>,
  uriOf: (started: T) => string,
  random: Random,
) {
  let end = Promise.withResolvers<void>();
  const start = (): Promise<T> => {
    end = Promise.withResolvers<void>();
    return open(() => end.resolve());
  };
  let started = await start();
  const pid = (): number => started.pid ?? 0;
  const proxy = await startNetworkProxy(() => addressOf(uriOf(started)), random);
  const backend = {
    /** Sends SIGKILL to all processes of the backend and waits until they have ended. */
    kill: async () => {
      signalFamily(pid(), "SIGKILL");
      await end.promise;
    },
    /** Restarts the backend on its data. The backend's own address may change. */
    start: async () => {
      started = await start();
    },
    pid,
    gone: () => end.promise,
    proxy,
  };
  return { backend, current: () => started };
}

/** An engine and broker shared with others: only their network may be disturbed. */
export type SharedBackends = Awaited<ReturnType<typeof openSharedBackends>>;

export type SharedBackendsOptions = Pick<Places, "databasePrefix" | "busNamespace"> & {
  readonly mongodbUri: string;
  readonly amqpUrl: string;
  readonly random: Random;
};

export async function openSharedBackends(options: SharedBackendsOptions) {
  const { mongodbUri, amqpUrl, random, databasePrefix, busNamespace } = options;
  const engine = await startNetworkProxy(() => addressOf(mongodbUri), random);
  const broker = await startNetworkProxy(() => addressOf(amqpUrl), random);
  const mongo = new MongoClient(mongodbUri);
  const viaBroker = new URL(amqpUrl);
  viaBroker.hostname = "127.0.0.1";
  viaBroker.port = String(broker.port);
  return {
    engine,
    broker,
    places: {
      mongodbUri: (name: string) =>
        `mongodb://127.0.0.1:${engine.port}/${name}?directConnection=true`,
      amqpUrl: viaBroker.href,
      mongo: () => mongo,
      databasePrefix,
      busNamespace,
    },
    close: async () => {
      await mongo.close();
      await Promise.all([engine.close(), broker.close()]);
    },
  };
}
