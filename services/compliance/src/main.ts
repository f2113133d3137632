import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo.ts";
import { startRpcServer } from "@disburse/chassis/rpc-server.ts";
import { createSealer } from "@disburse/chassis/sealing.ts";
import { createLifetime, runService, type StartService } from "@disburse/chassis/service.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { startLists } from "./list-service.ts";
import { screeningRpc } from "./rpc.ts";
import { openStore } from "./store.ts";

/** Starts the compliance service. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  const log = createLog("compliance", config.LOG_LEVEL, shared?.logTo);
  const metrics = createMetrics("compliance");
  const lifetime = createLifetime(log);
  try {
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const store = await openStore(database, createSealer(config.ENCRYPTION_KEYS));
    const lists = await startLists({
      ...{ database, metrics, clock: systemClock, log },
      pollMs: config.LISTS_POLL_MS,
      sources: config.LIST_SOURCES,
    });
    lifetime.add("lists", lists.stop);
    const { watch } = lists;
    const screenings = metrics.counter("disburse_screenings_total", "Screenings made", [
      "kind",
      "verdict",
    ]);
    const screening = screeningRpc({
      store,
      watch,
      clock: systemClock,
      screened: (kind, verdict) => screenings.inc({ kind, verdict }),
    });
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics,
      services: [ComplianceService],
      routes: (router) => router.service(ComplianceService, { ...screening, ...lists.rpc }),
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
