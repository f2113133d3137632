import { hostname } from "node:os";
import type { DescService } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service.ts";
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
import { migrations } from "./migrations.ts";
import { createGateway } from "./service.ts";

/** The edge's own deadline is the bound on every call. */
const callTimeoutMs = 10_000;
/** Nothing waits for the sweep: it only keeps collections small and forgets secrets. */
const sweepEveryMs = 60_000;

/** Clients of the owning services, and of their health. */
function connectServices({ config, connect: connectTo }: Opening<ReturnType<typeof readConfig>>) {
  const connect = <S extends DescService>(service: S, url: string) =>
    connectTo(service, url, callTimeoutMs);
  const { BENEFICIARY_URL, QUOTE_URL, PAYOUT_URL, NOTIFIER_URL } = config;
  const health = (url: string) => serving(connect(Health, url));
  return {
    clients: {
      beneficiary: connect(BeneficiaryService, BENEFICIARY_URL),
      quote: connect(QuoteService, QUOTE_URL),
      payout: connect(PayoutService, PAYOUT_URL),
      notifier: connect(NotifierService, NOTIFIER_URL),
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
function serving(health: Client<typeof Health>): Check {
  return async () => {
    try {
      const { status } = await health.check({ service: "" }, { timeoutMs: checkTimeoutMs });
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
  let askedMs = Number.NEGATIVE_INFINITY;
  let answers = Promise.resolve<Readonly<Record<string, boolean>>>({});
  return () => {
    const nowMs = performance.now();
    if (nowMs - askedMs >= freshMs) {
      const asked = Object.entries(checks).map(async ([name, check]) => [name, await check()]);
      askedMs = nowMs;
      answers = Promise.all(asked).then(Object.fromEntries);
    }
    return answers;
  };
}

/** Starts the gateway: its public routes on `PORT`, `KeyService` on `RPC_PORT`. */
export const start = serviceStart("gateway", readConfig, migrations, async (opening) => {
  const { config, log, metrics, database, lifetime } = opening;
  const startedAt = systemClock.now();
  const { clients, health } = connectServices(opening);
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
  const { url } = await opening.serve({
    host: config.RPC_HOST,
    port: config.RPC_PORT,
    services: [KeyService],
    routes: (router) => router.service(KeyService, gateway.keyService),
  });
  const { HOST: host, PORT: port } = config;
  const httpServer = await startHttpServer(gateway.listener, { host, port, log });
  lifetime.add("http server", httpServer.stop);
  // The port is ours, so the process that had it before has ended.
  await gateway.freeEnded(startedAt);
  return { url, publicUrl: httpServer.url };
});

if (import.meta.main) await runService("gateway", start);
