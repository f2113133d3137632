import type { Random } from "@disburse/harness/random.ts";
import { MongoClient } from "mongodb";
import type { Places } from "./fault-platform.ts";
import { addressOf, startWeatherProxy, type WeatherProxy } from "./weather-proxy.ts";

/** An engine and a broker that others use as well: only the way to them may be hurt. */
export type BorrowedGround = {
  readonly engine: WeatherProxy;
  readonly broker: WeatherProxy;
  readonly places: Places;
  readonly close: () => Promise<void>;
};

/** Where the two are, and names in them that nobody else has. */
export type BorrowedGroundOptions = Pick<Places, "databasePrefix" | "busNamespace"> & {
  readonly mongodbUri: string;
  readonly amqpUrl: string;
  readonly random: Random;
};

/** Puts a proxy before each of them. */
export async function openBorrowedGround(options: BorrowedGroundOptions): Promise<BorrowedGround> {
  const { mongodbUri, amqpUrl, random, databasePrefix, busNamespace } = options;
  const engine = await startWeatherProxy(() => addressOf(mongodbUri), random);
  const broker = await startWeatherProxy(() => addressOf(amqpUrl), random);
  const mongo = new MongoClient(mongodbUri);
  const viaBroker = new URL(amqpUrl);
  viaBroker.hostname = "127.0.0.1";
  viaBroker.port = String(broker.port);
  return {
    engine,
    broker,
    places: {
      mongodbUri: (name) => `mongodb://127.0.0.1:${engine.port}/${name}?directConnection=true`,
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
