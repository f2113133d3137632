import { openBus } from "@disburse/chassis/amqp/bus.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { createLifetime, runService, type StartService } from "@disburse/chassis/service.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { custodyProviderCodes } from "@disburse/forms/values/custody-providers.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { beneficiaryRpc } from "./rpc.ts";
import { subscription } from "./screening/events.ts";
import { startScreeningSweep } from "./screening/sweep.ts";
import { openStores } from "./service.ts";

/** A merchant waits for a screening; past this the record stays pending until the sweep. */
const complianceTimeoutMs = 3_000;

/** Starts the beneficiary service. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  const log = createLog("beneficiary", config.LOG_LEVEL, shared?.logTo);
  const lifetime = createLifetime(log);
  try {
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const compliance = connectService(ComplianceService, config.COMPLIANCE_URL, {
      caller: "beneficiary",
      serviceToken: config.SERVICE_TOKEN,
      timeoutMs: complianceTimeoutMs,
    });
    lifetime.add("compliance client", compliance.close);
    const sealer = createSealer(config.ENCRYPTION_KEYS);
    const deps = {
      ...(await openStores(database, sealer)),
      compliance: compliance.rpc,
      clock: systemClock,
      log,
      sealer,
      sweepEveryMs: config.SCREENING_SWEEP_MS,
      allowed: {
        routing_code_value_1: config.OPEN_NETWORKS,
        beneficiary_wallet_custody_provider: custodyProviderCodes(config.CUSTODY_PROVIDERS),
      },
    };
    const bus = await openBus(config, shared, lifetime, log);
    await bus.subscribe(subscription(deps));
    const sweep = startScreeningSweep(deps);
    lifetime.add("screening sweep", sweep.stop);
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics: createMetrics("beneficiary"),
      services: [BeneficiaryService],
      routes: (router) => router.service(BeneficiaryService, beneficiaryRpc(deps)),
      ready: database.ready,
    });
    lifetime.add("server", server.stop);
    return { url: server.url, stop: lifetime.end };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

if (import.meta.main) await runService("beneficiary", start);
