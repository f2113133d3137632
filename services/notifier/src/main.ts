import { hostname } from "node:os";
import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo.ts";
import { startRpcServer } from "@disburse/chassis/rpc-server.ts";
import { createSealer } from "@disburse/chassis/sealing.ts";
import { createLifetime, runService, type StartService } from "@disburse/chassis/service.ts";
import { openBus } from "@disburse/chassis/service-bus.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { subscription } from "./events.ts";
import { createNotifier } from "./notifier.ts";
import { createSender } from "./sender/sender.ts";
import { startWorker } from "./worker/worker.ts";

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
      place: `${hostname()}:${config.PORT}`,
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
