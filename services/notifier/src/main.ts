import { hostname } from "node:os";
import { openBus } from "@disburse/chassis/amqp/bus.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics, type Metrics } from "@disburse/chassis/metrics.ts";
import { databaseClock, elapsedWithSleep } from "@disburse/chassis/mongo/clock.ts";
import { connectDatabase, type Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import {
  createLifetime,
  type Lifetime,
  runService,
  type StartService,
} from "@disburse/chassis/service.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { processPlace } from "./deliveries/cluster/membership.ts";
import { openSealedKeyStore, startResealing } from "./endpoints/keys.ts";
import { subscription } from "./events/intake.ts";
import { createGapMetrics } from "./reconciliation/metrics.ts";
import { openGapStore } from "./reconciliation/store.ts";
import { gapLeaseMs, type SweepDeps, startGapSweep } from "./reconciliation/sweep.ts";
import { checkSourceAddress } from "./sender/connector.ts";
import type { AddressRules } from "./sender/rules/address.ts";
import { createSender } from "./sender/sender.ts";
import { createNotifier, type Notifier, startWorker } from "./service.ts";

/** Starts the notifier: consumption, delivery, and its RPCs. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  const { WEBHOOK_SOURCE_ADDRESS: localAddress } = config;
  if (localAddress !== undefined) await checkSourceAddress(localAddress);
  const log = createLog("notifier", config.LOG_LEVEL, shared?.logTo);
  const metrics = createMetrics("notifier");
  const lifetime = createLifetime(log);
  try {
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const clock = await databaseClock(database);
    const addressRules: AddressRules = {
      policy: config.DISBURSE_MODE === "live" ? "public" : "sandbox",
      ownNetworks: config.WEBHOOK_REFUSED_NETWORKS,
    };
    const sender = createSender({ ...addressRules, localAddress, log });
    lifetime.add("sender", sender.close);
    const sealer = createSealer(config.ENCRYPTION_KEYS);
    const notifier = await createNotifier({
      database,
      post: sender.post,
      sealer,
      signatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
      ...addressRules,
      verifyUrls: config.WEBHOOK_VERIFY_URLS,
      place: processPlace(hostname(), config.PORT),
      // Counts the machine's sleep, during which no heartbeat is sent.
      ...{ clock, wall: systemClock, elapsed: elapsedWithSleep() },
      metrics,
      log,
    });
    const sealedKeys = openSealedKeyStore(notifier.endpoints);
    lifetime.add("resealing", startResealing({ sealedKeys, sealer, metrics, log }).stop);
    let isUp = false;
    // Before anything runs: the process that has the port succeeds its predecessor at this place.
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics,
      services: [NotifierService],
      routes: (router) => router.service(NotifierService, notifier.rpc),
      ready: async () => isUp && (await database.ready()),
    });
    let worker: ReturnType<typeof startWorker> | undefined;
    lifetime.add("worker and server", async () => {
      // Concurrently, for either may take 20 s; the port stays bound until both have ended.
      const left = worker?.stop();
      await server.stop(left);
      await left;
    });
    worker = startWorker(notifier, clock, log);
    const bus = await openBus(config, shared, lifetime, log);
    await bus.subscribe(subscription(notifier.fanOut, clock.now, log, notifier.eventMetrics));
    startSweep(config, { database, notifier, metrics, clock, lifetime, log });
    isUp = true;
    const stop = (): Promise<void> => {
      isUp = false;
      return lifetime.end();
    };
    return { url: server.url, stop };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

type SweepParts = Pick<SweepDeps, "clock" | "log"> & {
  readonly database: Database;
  readonly notifier: Notifier;
  readonly metrics: Metrics;
  readonly lifetime: Lifetime;
};

/** Starts the sweeps for lost events, and for deliveries that a crash left out. */
function startSweep(
  config: ReturnType<typeof readConfig>,
  { database, notifier, lifetime, metrics, ...shared }: SweepParts,
): void {
  const { PAYOUT_URL: url, SERVICE_TOKEN: serviceToken } = config;
  const payout =
    url === undefined
      ? undefined
      : connectService(PayoutOperationsService, url, { caller: "notifier", serviceToken });
  if (payout !== undefined) lifetime.add("payout client", payout.close);
  const everyMs = config.GAP_SWEEP_SECONDS * 1_000;
  const sweep = startGapSweep({
    gaps: openGapStore(database, notifier.events, notifier.deliveries),
    fanOut: notifier.fanOut,
    metrics: createGapMetrics(metrics),
    ...shared,
    lease: createSweepLease(database, "gaps", gapLeaseMs(everyMs)),
    payout: payout?.rpc,
    everyMs,
  });
  lifetime.add("gap sweep", sweep.stop);
}

if (import.meta.main) await runService("notifier", start);
