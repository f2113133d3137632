import { createLog } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo.ts";
import { startRpcServer } from "@disburse/chassis/rpc-server.ts";
import { createLifetime, runService, type StartService } from "@disburse/chassis/service.ts";
import { openBus } from "@disburse/chassis/service-bus.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { changedEntriesOf } from "./changed-entries.ts";
import { readConfig } from "./config.ts";
import { listRpc } from "./list-rpc.ts";
import { openListStore } from "./list-store.ts";
import { watchLists } from "./lists-in-force.ts";
import { startScreening } from "./screening-service.ts";

/** What a crash left is removed within minutes; nothing waits for it. */
const sweepEveryMs = 30_000;

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
    const lists = await openListStore(database);
    const watch = watchLists({ store: lists, log });
    lifetime.add("index", watch.stop);
    // Read before the first request, so that a restart answers at once. Until it succeeds,
    // screening is refused, and the loop tries again.
    await watch.refresh().catch((error: unknown) => log.error({ err: error }, "lists not read"));
    const poll = startLoop({
      name: "lists",
      everyMs: config.LISTS_POLL_MS,
      run: () => watch.refresh().then(() => false),
      log,
    });
    lifetime.add("lists watch", poll.stop);
    const sweep = startLoop({
      name: "imports",
      everyMs: sweepEveryMs,
      run: () => lists.sweep(systemClock.now()).then(() => false),
      log,
    });
    lifetime.add("imports sweep", sweep.stop);
    const screening = await startScreening({
      ...{ database, bus, watch, metrics, clock: systemClock, log },
      changedEntries: changedEntriesOf(lists),
      encryptionKeys: config.ENCRYPTION_KEYS,
      wholeEveryDays: config.RESCREEN_DAYS,
    });
    lifetime.add("screening", screening.stop);
    const imports = metrics.counter("disburse_list_imports_total", "Imports of lists", [
      "list",
      "outcome",
    ]);
    const listing = listRpc({
      ...{ lists, watch, clock: systemClock, log },
      ended: (list, outcome) => imports.inc({ list, outcome }),
    });
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics,
      services: [ComplianceService],
      routes: (router) => router.service(ComplianceService, { ...screening.rpc, ...listing }),
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
