import { type Broker, startBroker } from "@disburse/embedded/broker.ts";
import { type Engine, startEngine } from "@disburse/embedded/engine.ts";
import { MongoClient } from "mongodb";
import { signalFamily } from "./processes.ts";
import type { Random } from "./random.ts";
import { addressOf, startWeatherProxy, type WeatherProxy } from "./weather-proxy.ts";

/** An engine or a broker that may be hurt. */
export type Part = {
  /** SIGKILL for all of its processes; settles when they are gone. */
  readonly kill: () => Promise<void>;
  /** Starts it again on its data, wherever it listens then. */
  readonly start: () => Promise<void>;
  /** Hangs it, and lets it go on. */
  readonly hang: () => void;
  readonly resume: () => void;
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
  let engineEnd = Promise.withResolvers<void>();
  let engine: Engine;
  const openEngine = async () => {
    engineEnd = Promise.withResolvers<void>();
    engine = await startEngine({
      dataDir: folders.engine,
      cacheMegabytes,
      env,
      onExit: () => engineEnd.resolve(),
    });
  };
  let brokerEnd = Promise.withResolvers<void>();
  let broker: Broker;
  const openBroker = async () => {
    brokerEnd = Promise.withResolvers<void>();
    const started = await startBroker({
      dataDir: folders.broker,
      env,
      onExit: () => brokerEnd.resolve(),
    });
    if (started === undefined) throw new Error("The fault run needs rabbitmq-server.");
    broker = started;
  };
  await Promise.all([openEngine(), openBroker()]);
  let client: { of: Engine; mongo: MongoClient } | undefined;
  const part = (
    pid: () => number | undefined,
    start: () => Promise<void>,
    end: () => Promise<void>,
    proxy: WeatherProxy,
  ): Part => ({
    kill: async () => {
      signalFamily(pid() ?? 0, "SIGKILL");
      await end();
    },
    start,
    hang: () => void signalFamily(pid() ?? 0, "SIGSTOP"),
    resume: () => void signalFamily(pid() ?? 0, "SIGCONT"),
    pid: () => pid() ?? 0,
    gone: end,
    proxy,
  });
  const engineProxy = await startWeatherProxy(() => addressOf(engine.uri("admin")), random);
  const brokerProxy = await startWeatherProxy(() => addressOf(broker.url), random);
  return {
    engine: part(
      () => engine.pid,
      openEngine,
      () => engineEnd.promise,
      engineProxy,
    ),
    broker: part(
      () => broker.pid,
      openBroker,
      () => brokerEnd.promise,
      brokerProxy,
    ),
    mongodbUri: (database) =>
      `mongodb://127.0.0.1:${engineProxy.port}/${database}?directConnection=true`,
    amqpUrl: `amqp://guest:guest@127.0.0.1:${brokerProxy.port}`,
    mongo: () => {
      if (client?.of !== engine) {
        void client?.mongo.close();
        client = { of: engine, mongo: new MongoClient(engine.uri("admin")) };
      }
      return client.mongo;
    },
    stop: async () => {
      await client?.mongo.close();
      await Promise.all([engineProxy.close(), brokerProxy.close()]);
      await Promise.all([engine.stop(), broker.stop()]);
    },
  };
}
