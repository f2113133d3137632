import { createHmac } from "node:crypto";
import { hostname } from "node:os";
import { openBus } from "@disburse/chassis/amqp/bus.ts";
import { createLog, type Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase, type Database } from "@disburse/chassis/mongo/database.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import {
  createLifetime,
  type Lifetime,
  runService,
  type StartService,
} from "@disburse/chassis/service.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { type Clock, systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { createSandboxRail, type SandboxRail } from "./rails/sandbox/rail.ts";
import { type PayoutService as RunningService, startPayoutService } from "./service.ts";

type Config = ReturnType<typeof readConfig>;

/** Starts the payout service: its RPCs, the relay of its events, its rail workers and sweeps. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  if (config.DISBURSE_MODE === "live") {
    throw new SettingsError("DISBURSE_MODE: live needs a rail, and none is configured yet");
  }
  const log = createLog("payout", config.LOG_LEVEL, shared?.logTo);
  const lifetime = createLifetime(log);
  try {
    const clock = systemClock;
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const bus = await openBus(config, shared, lifetime, log);
    const identity = { caller: "payout", serviceToken: config.SERVICE_TOKEN };
    const quote = connectService(QuoteService, config.QUOTE_URL, identity);
    lifetime.add("quote client", quote.close);
    const beneficiary = connectService(BeneficiaryService, config.BENEFICIARY_URL, identity);
    lifetime.add("beneficiary client", beneficiary.close);
    const rail = await openSandboxRail(config, database, clock);
    const payout = await startPayoutService({
      ...{ database, bus, quote: quote.rpc, beneficiary: beneficiary.rpc, clock, log },
      rails: [rail],
      routes: config.RAIL_ROUTES,
      stuckAfterMs: config.STUCK_AFTER_SECONDS * 1_000,
      railWorkers: config.RAIL_WORKERS,
      mode: config.DISBURSE_MODE,
      place: `${hostname()}:${config.PORT}`,
    });
    lifetime.add("background", payout.stop);
    startCallbacks(rail, payout, log, lifetime);
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics: createMetrics("payout"),
      services: [PayoutService, PayoutOperationsService],
      routes: (router) =>
        router
          .service(PayoutService, payout.rpc)
          .service(PayoutOperationsService, payout.operations),
      ready: database.ready,
    });
    lifetime.add("server", server.stop);
    return { url: server.url, stop: lifetime.end };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

/** How late a message of the sandbox's rail may go out. */
const callbacksMs = 100;

/** The simulated rail; its messages are signed with a secret derived from the service token. */
function openSandboxRail(config: Config, database: Database, clock: Clock): Promise<SandboxRail> {
  const secret = createHmac("sha256", config.SERVICE_TOKEN).update("sandbox rail").digest("hex");
  const behaviour = {
    settleMs: config.SANDBOX_SETTLE_MS,
    delay: config.SANDBOX_DELAY,
    seed: config.SANDBOX_SEED,
    shares: config.SANDBOX_SCENARIOS,
  };
  return createSandboxRail({ database, clock, behaviour, callbackSecret: secret });
}

/** The simulated rail calls back as any rail does, without the way over the network. */
function startCallbacks(
  rail: SandboxRail,
  payout: RunningService,
  log: Log,
  lifetime: Lifetime,
): void {
  const actor = { kind: "service", id: rail.name } as const;
  rail.sendTo(({ body, signature }) =>
    payout.receive(
      { rail: rail.name, body, signature },
      { actor, operationId: crypto.randomUUID() },
    ),
  );
  const loop = { name: "sandbox-callbacks", everyMs: callbacksMs, run: rail.sendDue, log };
  lifetime.add("sandbox callbacks", startLoop(loop).stop);
}

if (import.meta.main) await runService("payout", start);
