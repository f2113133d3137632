import { openBus } from "@disburse/chassis/amqp/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { createLifetime, runService, type StartService } from "@disburse/chassis/service.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { startReview } from "./alerts/service.ts";
import { readConfig } from "./config.ts";
import { startLists } from "./list-service.ts";
import { startScreening } from "./screening-service.ts";
import { walletProviderOf } from "./wallets/provider-setting.ts";

/** Starts the compliance service. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  const log = createLog("compliance", config.LOG_LEVEL, shared?.logTo);
  const metrics = createMetrics("compliance");
  const lifetime = createLifetime(log);
  try {
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const bus = await openBus(config, shared, lifetime, log);
    const lists = await startLists({
      ...{ database, metrics, clock: systemClock, log },
      pollMs: config.LISTS_POLL_MS,
      sources: config.LIST_SOURCES,
    });
    lifetime.add("lists", lists.stop);
    const { watch } = lists;
    const screening = await startScreening({
      ...{ database, bus, watch, metrics, clock: systemClock, log },
      changedEntries: lists.changedEntries,
      isListed: lists.isListed,
      encryptionKeys: config.ENCRYPTION_KEYS,
      wholeEveryDays: config.RESCREEN_DAYS,
      walletProvider: walletProviderOf(config),
    });
    lifetime.add("screening", screening.stop);
    const review = await startReview({
      ...{ database, metrics, clock: systemClock, log },
      encryptionKeys: config.ENCRYPTION_KEYS,
      alerts: screening.alertStore,
      screenings: screening.store,
      rescreen: screening.rescreen,
    });
    lifetime.add("review", review.stop);
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics,
      services: [ComplianceService, ComplianceReviewService],
      routes: (router) => {
        router.service(ComplianceService, { ...screening.rpc, ...lists.rpc });
        router.service(ComplianceReviewService, review.rpc);
      },
      ready: database.ready,
    });
    lifetime.add("server", server.stop);
    return { url: server.url, stop: lifetime.end };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

if (import.meta.main) await runService("compliance", start);
