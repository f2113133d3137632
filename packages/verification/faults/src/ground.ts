import { type Broker, startBroker } from "@disburse/embedded/broker.ts";
import { type Engine, startEngine } from "@disburse/embedded/engine.ts";
import type { Random } from "@disburse/harness/random.ts";
import { MongoClient } from "mongodb";
import { signalFamily } from "./processes.ts";
import { addressOf, startWeatherProxy, type WeatherProxy } from "./weather-proxy.ts";

/** An engine or a broker that may be hurt. */
export type Part = {
  /** SIGKILL for all of its processes; settles when they are gone. */
  readonly kill: () => Promise<void>;
  /** Starts it again on its data, wherever it listens then. */
  readonly start: () => Promise<void>;
  readonly pid: () => number;
  /** Settles when it has gone, asked or not. */
  readonly gone: () => Promise<void>;
  /** Between it and the services. */
  readonly proxy: WeatherProxy;
};

/** An engine and a broker of our own, each behind a proxy that stays where it is. */
export type Ground = {
  readonly engine: Part;
  readonly broker: Part;
  readonly mongodbUri: (database: string) => string;
  readonly amqpUrl: string;
  /** To the engine itself, past the proxy. */
  readonly mongo: () => MongoClient;
  readonly stop: () => Promise<void>;
};

/** Enough for the data of a long run, and little beside a platform on one machine. */
const cacheMegabytes = 256;

/** Where the two keep their data. */
type Folders = { readonly engine: string; readonly broker: string };

/** Starts both, each on its folder. Throws where there is no RabbitMQ. */
export async function startGround(folders: Folders, random: Random): Promise<Ground> {
  const { MONGODB_URI: _uri, AMQP_URL: _amqp, ...env } = process.env;
  const [engine, broker] = await Promise.all([
    startPart<Engine>(
      (onExit) => startEngine({ dataDir: folders.engine, cacheMegabytes, env, onExit }),
      (started) => started.uri("admin"),
      random,
    ),
    startPart<Broker>(
      async (onExit) => {
        const started = await startBroker({ dataDir: folders.broker, env, onExit });
        if (started === undefined) throw new Error("The fault run needs rabbitmq-server.");
        return started;
      },
      (started) => started.url,
      random,
    ),
  ]);
  let client: { of: Engine; mongo: MongoClient } | undefined;
  return {
    engine: engine.part,
    broker: broker.part,
    mongodbUri: (database) =>
      `mongodb://127.0.0.1:${engine.part.proxy.port}/${database}?directConnection=true`,
    amqpUrl: `amqp://guest:guest@127.0.0.1:${broker.part.proxy.port}`,
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
      await Promise.all([engine.part.proxy.close(), broker.part.proxy.close()]);
      await Promise.all([engine.current().stop(), broker.current().stop()]);
    },
  };
}

/** Starts a part with a proxy before it; `open` starts it, and again after each end. */
async function startPart<T extends { readonly pid: number | undefined }>(
  open: (onExit: () => void) => Promise<T>,
  uriOf: (started: T) => string,
  random: Random,
): Promise<{ readonly part: Part; readonly current: () => T }> {
  let end = Promise.withResolvers<void>();
  const start = (): Promise<T> => {
    end = Promise.withResolvers<void>();
    return open(() => end.resolve());
  };
  let started = await start();
  const pid = (): number => started.pid ?? 0;
  const proxy = await startWeatherProxy(() => addressOf(uriOf(started)), random);
  const part: Part = {
    kill: async () => {
      signalFamily(pid(), "SIGKILL");
      await end.promise;
    },
    start: async () => {
      started = await start();
    },
    pid,
    gone: () => end.promise,
    proxy,
  };
  return { part, current: () => started };
}
