import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import type { DescService } from "@bufbuild/protobuf";
import { sealedProposals } from "@disburse/chassis/approvals/store.ts";
import { openKeys } from "@disburse/chassis/crypto/open.ts";
import { startResealing } from "@disburse/chassis/crypto/resealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { databaseClock } from "@disburse/chassis/mongo/clock.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service/start.ts";
import type { ServiceUrls } from "@disburse/chassis/settings.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { StatementService } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { readConfig } from "./config.ts";
import { sealedListSettings } from "./console/list-settings.ts";
import {
  type CallOptions,
  type Forward,
  personIdentity,
  uploadMs,
  uploadPaths,
} from "./console/operator-proxy.ts";
import type { Place } from "./console/served.ts";
import { startHttpServer } from "./http/server.ts";
import { sealedKeyTexts } from "./keys/rpc.ts";
import { addressSet } from "./keys/rules/source-address.ts";
import { migrations } from "./migrations.ts";
import { servedRpcs } from "./rpc.ts";
import { sealedOperatorNames } from "./sessions/operator-names.ts";
import { createProvider } from "./sessions/provider.ts";
import { emailPurpose, sealedMembers } from "./team/store.ts";
import { createGateway, type PeopleDeps } from "./wiring.ts";

/** Maximum duration of a call to a service. A request's own deadline may end the call earlier. */
const callTimeoutMs = 10_000;
/** The sweep deletes expired data and encrypted secrets. It is not urgent. */
const sweepEveryMs = 60_000;
/**
 * If a revocation crashes, the sweep holds the key's orders within this time. A sweep takes two
 * indexed reads.
 */
const revocationsEveryMs = 1_000;
/**
 * Maximum delay before a request appears in the request log. It is short, because people use the
 * log to debug.
 */
const flushRequestsEveryMs = 2_000;

/**
 * Collections with encrypted texts, which are encrypted again after a key rotation. Stored
 * responses are not encrypted again, because they expire after 30 days.
 */
const sealedPlaces = [
  sealedKeyTexts,
  sealedProposals,
  sealedMembers,
  sealedListSettings,
  sealedOperatorNames,
];

/** Folders of the builds of the console and the documentation. */
const [consoleFolder = "", docsFolder = ""] = ["console", "docs-site"].map((name) =>
  fileURLToPath(new URL(`../../../packages/${name}/dist`, import.meta.url)),
);

function connectServices({ config, connect: connectTo }: Opening<ReturnType<typeof readConfig>>) {
  const connect = <S extends DescService>(service: S, urls: ServiceUrls, as?: { peer: string }) =>
    connectTo(service, urls, callTimeoutMs, as);
  return {
    beneficiary: connect(BeneficiaryService, config.BENEFICIARY_URL),
    quote: connect(QuoteService, config.QUOTE_URL),
    payout: connect(PayoutService, config.PAYOUT_URL),
    orders: connect(PayoutOrderService, config.PAYOUT_URL),
    notifier: connect(NotifierService, config.NOTIFIER_URL),
    statements: connect(StatementService, config.PAYOUT_URL),
    // Every service has proposals. Merchants' ones are those of the payout service.
    approvals: connect(ApprovalService, config.PAYOUT_URL, { peer: "payout" }),
    payoutSandbox: connect(PayoutSandboxService, config.PAYOUT_URL),
    beneficiarySandbox: connect(BeneficiarySandboxService, config.BENEFICIARY_URL),
    notifierSandbox: connect(NotifierSandboxService, config.NOTIFIER_URL),
    quoteSandbox: connect(QuoteSandboxService, config.QUOTE_URL),
  };
}

function rateLimits(config: ReturnType<typeof readConfig>) {
  const { UNKNOWN_KEYS_PER_MINUTE: unknownKeys } = config;
  return {
    rateLimit: { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST },
    unauthenticatedLimit: {
      perSecond: config.ADDRESS_RATE_LIMIT_PER_SECOND,
      burst: config.ADDRESS_RATE_LIMIT_BURST,
    },
    lookupsLimit: { perSecond: unknownKeys / 60, burst: unknownKeys },
  };
}

type Config = ReturnType<typeof readConfig>;

function boundsOf(config: Config) {
  return {
    keysMax: config.KEYS_PER_MERCHANT,
    membersMax: config.MEMBERS_PER_MERCHANT,
    openProposalsMax: config.OPEN_PROPOSALS_PER_MERCHANT,
  };
}

/** Each merchant may hold one fifth of all connections, so five merchants together can hold all. */
const merchantsAtOnce = 5;

function portalsOf(config: Config): Pick<PeopleDeps, "members" | "operators"> {
  const provider = (issuer: string | undefined, clientId: string, clientSecret?: string) =>
    issuer === undefined ? undefined : createProvider({ issuer, clientId, clientSecret });
  return {
    members: {
      origin: config.CONSOLE_URL,
      provider: provider(
        config.MEMBERS_OIDC_ISSUER,
        config.MEMBERS_OIDC_CLIENT_ID,
        config.MEMBERS_OIDC_CLIENT_SECRET,
      ),
    },
    operators: {
      origin: config.OPERATORS_URL,
      provider: provider(
        config.OPERATORS_OIDC_ISSUER,
        config.OPERATORS_OIDC_CLIENT_ID,
        config.OPERATORS_OIDC_CLIENT_SECRET,
      ),
    },
  };
}

/** Returns the current and earlier public keys of the payout service, which signs receipts. */
function receiptKeys({ config, identity }: Opening<Config>): object[] {
  const keys = new Map([...(config.RECEIPT_KEYS ?? []), ...identity.trustedKeys()]);
  return [...keys].flatMap(([kid, { service, publicKey }]) =>
    service === "payout" ? [{ ...publicKey.export({ format: "jwk" }), kid, use: "sig" }] : [],
  );
}

type Call = (request: object, options: CallOptions) => Promise<object>;

/**
 * Calls services on behalf of the person who sent the request. `ownUrl` returns this service's RPC
 * address.
 */
function forwardCalls({ config, connect }: Opening<Config>, ownUrl: () => string): Forward {
  const urls: Readonly<Record<Place, () => ServiceUrls>> = {
    beneficiary: () => config.BENEFICIARY_URL,
    compliance: () => config.COMPLIANCE_URL ?? [],
    quote: () => config.QUOTE_URL,
    payout: () => config.PAYOUT_URL,
    notifier: () => config.NOTIFIER_URL,
    gateway: () => [ownUrl()],
  };
  return (place, service) => {
    const as = { identity: personIdentity, peer: place };
    const rpc = connect(service, urls[place](), callTimeoutMs, as);
    const calls = rpc as unknown as Readonly<Record<string, Call | undefined>>;
    return async ({ localName }, request, options) => {
      const call = calls[localName];
      if (call === undefined) throw new Error(`the service's client has no method ${localName}`);
      return call(request, options);
    };
  };
}

/** Stores the collected requests periodically. When stopped, stores the rest. */
function startRequestLog(flush: () => Promise<void>, log: Log) {
  const run = async () => {
    await flush();
    return false;
  };
  const loop = startLoop({ name: "request log", everyMs: flushRequestsEveryMs, run, log });
  return async () => {
    await loop.stop();
    await flush();
  };
}

type Sweeps = Record<"sweep" | "sweepRevocations", () => Promise<boolean>>;

/** Starts loops that run until the process ends. */
function startSweeps({ lifetime, log }: Opening<Config>, gateway: Sweeps): void {
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    lifetime.add(name, startLoop({ name, everyMs, run, log }).stop);
  loop("sweep", sweepEveryMs, gateway.sweep);
  loop("revocations", revocationsEveryMs, gateway.sweepRevocations);
}

/**
 * Starts the gateway. It serves public routes on `PORT`, its RPCs on `RPC_PORT` and the operator
 * API proxy on `OPERATORS_PORT`.
 */
export const start = serviceStart("gateway", readConfig, migrations, async (opening) => {
  const { config, log, metrics, database, lifetime, lifecycle } = opening;
  // All gateways use the database's clock, so they agree on expired keys and abandoned runs.
  const clock = await databaseClock(database);
  const startedAt = clock.now();
  const keys = await openKeys(opening, config, emailPurpose);
  let ownUrl = "";
  const gateway = await createGateway({
    db: database.db,
    watchPrimary: database.watchPrimary,
    sealer: keys.sealer,
    clients: connectServices(opening),
    isReady: lifecycle.isReady,
    clock,
    log,
    metrics,
    tracing: opening.tracing,
    mode: config.DISBURSE_MODE,
    docsFolder,
    securityContact: config.SECURITY_CONTACT,
    receiptKeys: () => receiptKeys(opening),
    peppers: config.API_KEY_PEPPER,
    place: `${hostname()}:${config.PORT}`,
    approvalSignInMs: opening.identity.stepUp.maxAgeSeconds * 1_000,
    proxies: config.TRUSTED_PROXIES,
    people: {
      ...portalsOf(config),
      emailHashes: () => keys.hashes(emailPurpose),
      verify: opening.identity.verify,
      forward: forwardCalls(opening, () => ownUrl),
      consoleFolder,
      draining: lifecycle.draining,
    },
    ...rateLimits(config),
    bounds: boundsOf(config),
    requestsMax: Math.ceil(config.MAX_CONNECTIONS / merchantsAtOnce),
  });
  const resealing = startResealing({ database, keys, places: sealedPlaces, metrics, log });
  lifetime.add("resealing", resealing.stop);
  startSweeps(opening, gateway);
  lifetime.add("unsettled idempotency keys", gateway.startSettling().stop);
  lifetime.add("request log", startRequestLog(gateway.flushRequests, log));
  lifetime.add("approvals", gateway.approvals.start().stop);
  const { url } = await opening.serve({
    host: config.RPC_HOST,
    port: config.RPC_PORT,
    ...servedRpcs(gateway),
  });
  ownUrl = url;
  const { HOST: host, PORT: port } = config;
  const { draining } = lifecycle;
  const connections = {
    max: config.MAX_CONNECTIONS,
    maxPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS,
    proxies: addressSet(config.TRUSTED_PROXIES),
    metrics,
  };
  const options = { host, port, log, connections, draining };
  const httpServer = await startHttpServer(gateway.listener, options);
  lifetime.add("http server", httpServer.stop);
  if (config.OPERATORS_PORT !== undefined) {
    const { OPERATORS_HOST: host, OPERATORS_PORT: port } = config;
    const operatorOptions = {
      ...options,
      host,
      port,
      connections: { ...connections, metrics: undefined },
      uploads: { paths: uploadPaths, requestMs: uploadMs },
    };
    const operators = await startHttpServer(gateway.operatorsListener, operatorOptions);
    lifetime.add("operator API proxy", operators.stop);
  }
  // This process has bound the port, so the previous process at this place has ended.
  await gateway.freeEnded(startedAt);
  return { url, publicUrl: httpServer.url };
});

if (import.meta.main) await runService("gateway", start);
