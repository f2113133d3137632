import { hostname } from "node:os";
import type { DescService } from "@bufbuild/protobuf";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { createLog, type Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { connectService, type ServiceClient } from "@disburse/chassis/rpc/client.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import {
  createLifetime,
  type Lifetime,
  runService,
  type StartService,
} from "@disburse/chassis/service.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { startHttpServer } from "./http/server.ts";
import { createGateway } from "./service.ts";

type Config = ReturnType<typeof readConfig>;

/** The edge's own deadline is the bound on every call. */
const callTimeoutMs = 10_000;
/** Nothing waits for the sweep: it only keeps collections small and forgets secrets. */
const sweepEveryMs = 60_000;

/** Clients of the owning services, and of their health. */
function connectServices(config: Config, lifetime: Lifetime) {
  const options = {
    caller: "gateway",
    serviceToken: config.SERVICE_TOKEN,
    timeoutMs: callTimeoutMs,
  };
  const connect = <S extends DescService>(service: S, url: string) => {
    const client = connectService(service, url, options);
    lifetime.add("client", client.close);
    return client;
  };
  const { BENEFICIARY_URL, QUOTE_URL, PAYOUT_URL, NOTIFIER_URL } = config;
  const health = (url: string) => serving(connect(Health, url));
  return {
    clients: {
      beneficiary: connect(BeneficiaryService, BENEFICIARY_URL).rpc,
      quote: connect(QuoteService, QUOTE_URL).rpc,
      payout: connect(PayoutService, PAYOUT_URL).rpc,
      notifier: connect(NotifierService, NOTIFIER_URL).rpc,
    },
    health: {
      beneficiary: health(BENEFICIARY_URL),
      quote: health(QUOTE_URL),
      payout: health(PAYOUT_URL),
      notifier: health(NOTIFIER_URL),
    },
  };
}

/** Probes need no key, so each dependency is checked at most once in this time. */
const freshMs = 1_000;
/** A dependency that takes longer to answer is not ready. */
const checkTimeoutMs = 1_000;

type Check = () => Promise<boolean>;

/** Whether a service reports that it is serving. */
function serving({ rpc }: Pick<ServiceClient<typeof Health>, "rpc">): Check {
  return async () => {
    try {
      const { status } = await rpc.check({ service: "" }, { timeoutMs: checkTimeoutMs });
      return status === HealthCheckResponse_ServingStatus.SERVING;
    } catch {
      // Any failure to answer means the same: not reachable now.
      return false;
    }
  };
}

/** Checks the gateway's dependencies, and caches the results for a second. */
function createReadiness(
  checks: Readonly<Record<string, Check>>,
): () => Promise<Readonly<Record<string, boolean>>> {
  let last:
    | { readonly askedMs: number; readonly answers: Promise<Record<string, boolean>> }
    | undefined;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.askedMs >= freshMs) {
      const asked = Object.entries(checks).map(
        async ([name, check]) => [name, await check()] as const,
      );
      last = { askedMs: nowMs, answers: Promise.all(asked).then(Object.fromEntries) };
    }
    return last.answers;
  };
}

async function open(config: Config, log: Log, lifetime: Lifetime) {
  const startedAt = systemClock.now();
  const metrics = createMetrics("gateway");
  const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
  lifetime.add("database", database.close);
  const { clients, health } = connectServices(config, lifetime);
  const gateway = await createGateway({
    db: database.db,
    sealer: createSealer(config.ENCRYPTION_KEYS),
    clients,
    readiness: createReadiness({ database: database.ready, ...health }),
    clock: systemClock,
    log,
    metrics,
    mode: config.DISBURSE_MODE,
    pepper: config.API_KEY_PEPPER,
    place: `${hostname()}:${config.PORT}`,
    proxies: config.TRUSTED_PROXIES,
    rateLimit: { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST },
  });
  const sweep = startLoop({ name: "sweep", everyMs: sweepEveryMs, run: gateway.sweep, log });
  lifetime.add("sweep", sweep.stop);
  const rpcServer = await startRpcServer({
    host: config.RPC_HOST,
    port: config.RPC_PORT,
    serviceToken: config.SERVICE_TOKEN,
    log,
    metrics,
    services: [KeyService],
    routes: (router) => router.service(KeyService, gateway.keyService),
    ready: database.ready,
  });
  lifetime.add("rpc server", rpcServer.stop);
  const { HOST: host, PORT: port } = config;
  const httpServer = await startHttpServer(gateway.listener, { host, port, log });
  lifetime.add("http server", httpServer.stop);
  // The port is ours, so the process that had it before has ended.
  await gateway.freeEnded(startedAt);
  return { url: rpcServer.url, publicUrl: httpServer.url };
}

/** Starts the gateway: its public routes on `PORT`, `KeyService` on `RPC_PORT`. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  const log = createLog("gateway", config.LOG_LEVEL, shared?.logTo);
  const lifetime = createLifetime(log);
  try {
    return { ...(await open(config, log, lifetime)), stop: lifetime.end };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

if (import.meta.main) await runService("gateway", start);
