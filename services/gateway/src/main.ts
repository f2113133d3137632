import { hostname } from "node:os";
import type { DescService } from "@bufbuild/protobuf";
import { sealedProposals } from "@disburse/chassis/approvals/store.ts";
import { openKeys } from "@disburse/chassis/crypto/open.ts";
import { startResealing } from "@disburse/chassis/crypto/resealing.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { databaseClock } from "@disburse/chassis/mongo/clock.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service.ts";
import type { ServiceUrls } from "@disburse/chassis/settings.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { readConfig } from "./config.ts";
import { startHttpServer } from "./http/server.ts";
import { sealedKeyTexts } from "./keys/rpc.ts";
import { addressSet } from "./keys/rules/source-address.ts";
import { migrations } from "./migrations.ts";
import { createGateway } from "./service.ts";

/** The edge's own deadline is the bound on every call. */
const callTimeoutMs = 10_000;
/** Nothing waits for the sweep: it only keeps collections small and forgets secrets. */
const sweepEveryMs = 60_000;

/** Where texts are sealed; answers that are kept for repeats end after 30 days instead. */
const sealedPlaces = [sealedKeyTexts, sealedProposals];

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

/** Limits for each key and for each address. */
function rateLimits(config: ReturnType<typeof readConfig>) {
  const { UNKNOWN_KEYS_PER_MINUTE: unknownKeys } = config;
  return {
    rateLimit: { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST },
    strangersLimit: {
      perSecond: config.ADDRESS_RATE_LIMIT_PER_SECOND,
      burst: config.ADDRESS_RATE_LIMIT_BURST,
    },
    lookupsLimit: { perSecond: unknownKeys / 60, burst: unknownKeys },
  };
}

/** Starts the gateway: its public routes on `PORT`, `KeyService` on `RPC_PORT`. */
export const start = serviceStart("gateway", readConfig, migrations, async (opening) => {
  const { config, log, metrics, database, lifetime, lifecycle } = opening;
  // Keys end, and runs are given up, by one clock for all gateways.
  const clock = await databaseClock(database);
  const startedAt = clock.now();
  const keys = await openKeys(opening, config);
  const gateway = await createGateway({
    db: database.db,
    sealer: keys.sealer,
    clients: connectServices(opening),
    isReady: lifecycle.isReady,
    clock,
    log,
    metrics,
    tracing: opening.tracing,
    mode: config.DISBURSE_MODE,
    peppers: config.API_KEY_PEPPER,
    place: `${hostname()}:${config.PORT}`,
    proxies: config.TRUSTED_PROXIES,
    ...rateLimits(config),
  });
  const resealing = startResealing({ database, keys, places: sealedPlaces, metrics, log });
  lifetime.add("resealing", resealing.stop);
  const sweep = startLoop({ name: "sweep", everyMs: sweepEveryMs, run: gateway.sweep, log });
  lifetime.add("sweep", sweep.stop);
  lifetime.add("approvals", gateway.approvals.start().stop);
  const { url } = await opening.serve({
    host: config.RPC_HOST,
    port: config.RPC_PORT,
    services: [KeyService, ApprovalService],
    routes: (router) => {
      router.service(KeyService, gateway.keyService);
      router.service(ApprovalService, gateway.approvals.rpc);
    },
  });
  const { HOST: host, PORT: port } = config;
  const { draining } = lifecycle;
  const connections = {
    ...{ max: config.MAX_CONNECTIONS, maxPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS },
    ...{ proxies: addressSet(config.TRUSTED_PROXIES), metrics },
  };
  const options = { host, port, log, connections, draining };
  const httpServer = await startHttpServer(gateway.listener, options);
  lifetime.add("http server", httpServer.stop);
  // The port is ours, so the process that had it before has ended.
  await gateway.freeEnded(startedAt);
  return { url, publicUrl: httpServer.url };
});

if (import.meta.main) await runService("gateway", start);
