import { hostname } from "node:os";
import type { DescService } from "@bufbuild/protobuf";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service.ts";
import type { ServiceUrls } from "@disburse/chassis/settings.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { startHttpServer } from "./http/server.ts";
import { migrations } from "./migrations.ts";
import { createGateway } from "./service.ts";

/** The edge's own deadline is the bound on every call. */
const callTimeoutMs = 10_000;
/** Nothing waits for the sweep: it only keeps collections small and forgets secrets. */
const sweepEveryMs = 60_000;

/** Clients of the owning services. */
function connectServices({ config, connect: connectTo }: Opening<ReturnType<typeof readConfig>>) {
  const connect = <S extends DescService>(service: S, urls: ServiceUrls) =>
    connectTo(service, urls, callTimeoutMs);
  return {
    beneficiary: connect(BeneficiaryService, config.BENEFICIARY_URL),
    quote: connect(QuoteService, config.QUOTE_URL),
    payout: connect(PayoutService, config.PAYOUT_URL),
    notifier: connect(NotifierService, config.NOTIFIER_URL),
  };
}

/** Starts the gateway: its public routes on `PORT`, `KeyService` on `RPC_PORT`. */
export const start = serviceStart("gateway", readConfig, migrations, async (opening) => {
  const { config, log, metrics, database, lifetime, lifecycle } = opening;
  const startedAt = systemClock.now();
  const gateway = await createGateway({
    db: database.db,
    sealer: createSealer(config.ENCRYPTION_KEYS),
    clients: connectServices(opening),
    isReady: lifecycle.isReady,
    clock: systemClock,
    log,
    metrics,
    tracing: opening.tracing,
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
  const { draining } = lifecycle;
  const httpServer = await startHttpServer(gateway.listener, { host, port, log, draining });
  lifetime.add("http server", httpServer.stop);
  // The port is ours, so the process that had it before has ended.
  await gateway.freeEnded(startedAt);
  return { url, publicUrl: httpServer.url };
});

if (import.meta.main) await runService("gateway", start);
