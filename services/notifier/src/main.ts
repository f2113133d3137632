import { connectAmqpBus } from "@disburse/chassis/amqp-bus.ts";
import type { Bus } from "@disburse/chassis/bus.ts";
import { createLog, type Log } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo.ts";
import { startRpcServer } from "@disburse/chassis/rpc-server.ts";
import { createSealer } from "@disburse/chassis/sealing.ts";
import {
  createLifetime,
  type Lifetime,
  runService,
  type Shared,
  type StartService,
} from "@disburse/chassis/service.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { subscription } from "./events.ts";
import { createNotifier } from "./notifier.ts";
import { createSender } from "./sender/sender.ts";
import { startWorker } from "./worker/worker.ts";

type Config = ReturnType<typeof readConfig>;

/** The bus that was handed over, else a connection of our own. */
async function openBus(config: Config, shared: Shared | undefined, lifetime: Lifetime, log: Log) {
  if (shared?.bus !== undefined) return shared.bus;
  if (config.AMQP_URL === undefined) throw new SettingsError("settings: AMQP_URL: is required");
  const { AMQP_URL: url, BUS_NAMESPACE: namespace } = config;
  const bus: Bus = await connectAmqpBus({ url, namespace, log });
  lifetime.add("bus", bus.stop);
  return bus;
}

/** Starts the notifier: consumption, delivery, and its RPCs. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  const log = createLog("notifier", config.LOG_LEVEL, shared?.logTo);
  const metrics = createMetrics("notifier");
  const lifetime = createLifetime(log);
  try {
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const policy = config.DISBURSE_MODE === "live" ? "public" : "sandbox";
    const sender = createSender({
      policy,
      ownNetworks: config.WEBHOOK_REFUSED_NETWORKS,
      localAddress: config.WEBHOOK_SOURCE_ADDRESS,
      log,
    });
    lifetime.add("sender", sender.close);
    const notifier = await createNotifier({
      database,
      post: sender.post,
      sealer: createSealer(config.ENCRYPTION_KEYS),
      signatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
      policy,
      clock: systemClock,
      metrics,
      log,
    });
    const worker = startWorker(notifier, systemClock, log);
    lifetime.add("worker", worker.stop);
    const bus = await openBus(config, shared, lifetime, log);
    await bus.subscribe(subscription(notifier.fanOut, systemClock.now, log));
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics,
      services: [NotifierService],
      routes: (router) => router.service(NotifierService, notifier.rpc),
      ready: database.ready,
    });
    lifetime.add("server", server.stop);
    return { url: server.url, stop: lifetime.end };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

if (import.meta.main) await runService("notifier", start);
