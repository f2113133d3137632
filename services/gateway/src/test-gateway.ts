import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { createConnection } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Client,
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  createRouterTransport,
  type ServiceImpl,
} from "@connectrpc/connect";
import { callContext } from "@disburse/chassis/call-context.ts";
import { createKeyedHashes, createSealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { StatementService } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import type {} from "@disburse/testkit/global-setup.ts";
import type { ConnectionLimits } from "./http/connections.ts";
import { type HttpTimeouts, startHttpServer } from "./http/server.ts";
import { readPeppers } from "./keys/rules/peppers.ts";
import { addressSet } from "./keys/rules/source-address.ts";
import { migrations } from "./migrations.ts";
import { emailPurpose } from "./team/store.ts";
import { createGateway, type GatewayDeps, type PeopleDeps } from "./wiring.ts";

/** A fake service. If a call reaches an RPC that the test doesn't set, the test fails. */
type Fake<S extends DescService> = Partial<ServiceImpl<S>>;

function register<S extends DescService>(router: ConnectRouter, service: S, fake: Fake<S>): void {
  const methods = Object.keys(service.method).map((name) => [
    name,
    (request: unknown, context: unknown) => {
      const answer = (fake as Record<string, ((...args: unknown[]) => unknown) | undefined>)[name];
      if (answer === undefined)
        throw new ConnectError(`the fake service does not implement ${name}`, Code.Internal);
      return answer(request, context);
    },
  ]);
  router.service(service, Object.fromEntries(methods) as ServiceImpl<S>);
}

export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: { data?: unknown; code?: string; message?: string };
};

export type Ask = {
  readonly method?: string;
  readonly path: string;
  readonly key?: string | undefined;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
};

export type LogLine = { readonly level: string; readonly event: string; readonly fields: object };

function recordingLog(lines: LogLine[]): Log {
  const at = (level: string) => (fields: object, event: string) => {
    lines.push({ level, event, fields: { request_id: callContext()?.requestId, ...fields } });
  };
  const [fatal, error, warn] = [at("fatal"), at("error"), at("warn")];
  return { fatal, error, warn, info: at("info"), debug: at("debug") };
}

export const testSealingKey = `k1:${Buffer.alloc(32, 3).toString("base64")}`;

/** Fakes of the owning services, and their clients. */
function fakeServices() {
  const fakes = {
    beneficiary: {} as Fake<typeof BeneficiaryService>,
    quote: {} as Fake<typeof QuoteService>,
    payout: {} as Fake<typeof PayoutService>,
    // Every revocation of a key calls these services.
    orders: { stopOrders: () => ({}) } as Fake<typeof PayoutOrderService>,
    notifier: { listEndpoints: () => ({}) } as Fake<typeof NotifierService>,
    statements: {} as Fake<typeof StatementService>,
    approvals: {} as Fake<typeof ApprovalService>,
    payoutSandbox: {} as Fake<typeof PayoutSandboxService>,
    beneficiarySandbox: {} as Fake<typeof BeneficiarySandboxService>,
    notifierSandbox: {} as Fake<typeof NotifierSandboxService>,
    quoteSandbox: {} as Fake<typeof QuoteSandboxService>,
  };
  const transport = createRouterTransport((router) => {
    register(router, BeneficiaryService, fakes.beneficiary);
    register(router, QuoteService, fakes.quote);
    register(router, PayoutService, fakes.payout);
    register(router, PayoutOrderService, fakes.orders);
    register(router, NotifierService, fakes.notifier);
    register(router, StatementService, fakes.statements);
    register(router, ApprovalService, fakes.approvals);
    register(router, PayoutSandboxService, fakes.payoutSandbox);
    register(router, BeneficiarySandboxService, fakes.beneficiarySandbox);
    register(router, NotifierSandboxService, fakes.notifierSandbox);
    register(router, QuoteSandboxService, fakes.quoteSandbox);
  });
  const clients = {
    beneficiary: createClient(BeneficiaryService, transport),
    quote: createClient(QuoteService, transport),
    payout: createClient(PayoutService, transport),
    orders: createClient(PayoutOrderService, transport),
    notifier: createClient(NotifierService, transport),
    statements: createClient(StatementService, transport),
    approvals: createClient(ApprovalService, transport),
    payoutSandbox: createClient(PayoutSandboxService, transport),
    beneficiarySandbox: createClient(BeneficiarySandboxService, transport),
    notifierSandbox: createClient(NotifierSandboxService, transport),
    quoteSandbox: createClient(QuoteSandboxService, transport),
  };
  return { fakes, clients };
}

export const testEmailHashes = () => createKeyedHashes(testSealingKey, emailPurpose);

/** In tests, sessions work but no provider is available to sign in. */
const withoutProvider = {
  emailHashes: testEmailHashes,
  verify: () => {
    throw new ConnectError("the test gateway accepts no person's token", Code.Unauthenticated);
  },
  members: { origin: undefined, provider: undefined },
  operators: { origin: undefined, provider: undefined },
  forward: () => async () => {
    throw new Error("the test gateway forwards no calls");
  },
  consoleFolder: "/nonexistent",
};

/** A complete gateway with its own database and port, and fake services behind it. */
export async function startTestGateway(
  options: Partial<GatewayDeps> = {},
  timeouts?: HttpTimeouts,
  limits: Partial<ConnectionLimits> = {},
  people: Partial<PeopleDeps> = {},
) {
  const database = await migratedDatabase("gateway", migrations);
  const { fakes, clients } = fakeServices();
  const time = { nowMs: Date.parse("2026-11-20T12:00:00.000Z") };
  const logLines: LogLine[] = [];
  const metrics = createMetrics("gateway");
  const gateway = await createGateway({
    db: database.db,
    watchPrimary: database.watchPrimary,
    sealer: createSealer(testSealingKey),
    clients,
    isReady: async () => true,
    clock: { now: () => new Date(time.nowMs) },
    monotonicMs: () => time.nowMs,
    log: recordingLog(logLines),
    metrics,
    mode: "sandbox",
    docsFolder: "/nonexistent",
    receiptKeys: () => [],
    peppers: readPeppers(`p1:${Buffer.alloc(32, 9).toString("base64")}`),
    place: "first:8080",
    approvalSignInMs: 900_000,
    proxies: [],
    requestsMax: 1_000,
    rateLimit: { perSecond: 1_000, burst: 10_000 },
    unauthenticatedLimit: { perSecond: 10_000, burst: 100_000 },
    lookupsLimit: { perSecond: 10_000, burst: 100_000 },
    bounds: { keysMax: 100, membersMax: 200, openProposalsMax: 1_000 },
    people: { ...withoutProvider, ...people },
    ...options,
  });
  const connections = {
    ...{ max: 100, maxPerAddress: 100, proxies: addressSet(options.proxies ?? []), metrics },
    ...limits,
  };
  const address = { host: "127.0.0.1", port: 0, log: recordingLog(logLines), connections };
  const server = await startHttpServer(gateway.listener, address, timeouts);
  const keys = createClient(
    KeyService,
    createRouterTransport((router) => router.service(KeyService, gateway.keyService), namedCallers),
  );
  const agent = new Agent({ keepAlive: true });
  return {
    ...{ db: database.db, metrics, fakes, time, logLines, keys, gateway, url: server.url },
    merchant: (wish: KeyWish = {}) => newMerchant(keys, wish),
    ask: (ask: Ask) => send(server.url, agent, ask),
    raw: (bytes: string | Buffer) => exchange(server.url, bytes),
    stop: async () => {
      agent.destroy();
      await server.stop();
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

/** Builds the mutation of an operator's change, by default with a new operation id. */
export function mutation(operationId: string = crypto.randomUUID()) {
  return { operationId, actor: { kind: Actor_Kind.OPERATOR, id: "olga" } };
}

type KeyWish = {
  description?: string;
  scopes?: string[];
  sourceCidrs?: string[];
  expiresAt?: Timestamp;
};

async function newMerchant(keys: Client<typeof KeyService>, wish: KeyWish) {
  const merchantId = newId("merchant");
  const created = await keys.createKey({ mutation: mutation(), merchantId, ...wish });
  return { merchantId, key: created.secret, keyId: created.key?.id ?? "" };
}

function send(url: string, agent: Agent, ask: Ask): Promise<Reply> {
  const headers = {
    ...(ask.key === undefined ? {} : { authorization: `Bearer ${ask.key}` }),
    ...(ask.body === undefined ? {} : { "content-type": "application/json" }),
    ...ask.headers,
  };
  const method = ask.method ?? (ask.body === undefined ? "GET" : "POST");
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}${ask.path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
        const json = isJson && text !== "" ? (JSON.parse(text) as Reply["json"]) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    sent.on("error", reject);
    sent.end(ask.body);
  });
}

/** Writes bytes to a new connection. Reads until the server closes the connection. */
function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = createConnection(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}
