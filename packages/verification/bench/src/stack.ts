import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { withSandboxClients } from "@disburse/sandbox/clients.ts";
import {
  type Ports,
  type ServiceName,
  serviceEnvironments,
  serviceNames,
} from "@disburse/sandbox/environments.ts";
import { newSecrets } from "@disburse/sandbox/secrets.ts";
import { seedSandbox, untilAnswered } from "@disburse/sandbox/seed.ts";
import { createServiceProcesses } from "@disburse/sandbox/service-processes.ts";
import type { Db, MongoClient } from "mongodb";
import { callGateway } from "./gateway-call.ts";
import { beneficiaryBody, type Target } from "./scenarios.ts";

/** What the platforms of a bench stand on. */
export type Ground = {
  readonly mongodbUri: (database: string) => string;
  readonly amqpUrl: string;
  /** Of the bench itself, for seeding and counting. */
  readonly mongo: MongoClient;
};

/** A platform of six processes, with one merchant whose account has money in it. */
export type Stack = {
  readonly name: string;
  readonly target: Target;
  readonly merchantId: string;
  readonly db: (service: ServiceName) => Db;
  /** What the names of its databases begin with. */
  readonly databasePrefix: string;
  readonly pids: Readonly<Record<ServiceName, number>>;
  /** Opens accounts of the merchant's, with money in them. */
  openAccounts(count: number): Promise<readonly string[]>;
  stop(): Promise<void>;
};

/** No request of the bench is refused for its pace, and no quote expires in it. */
const settings = {
  LOG_LEVEL: "warn",
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
  QUOTE_TTL_SECONDS: "3600",
};
const readyTimeoutMs = 60_000;
/** Enough for a million payouts of the amounts that are asked for. */
const funds = "50000000.00";

/** Starts a platform in databases of its own and makes the sandbox in it. */
export async function startStack(name: string, ground: Ground): Promise<Stack> {
  const ports = await choosePorts();
  const secrets = newSecrets();
  const databasePrefix = `bench_${name}_`;
  const environments = serviceEnvironments({
    host: "127.0.0.1",
    ports,
    secrets,
    mongodbUri: ground.mongodbUri,
    amqpUrl: ground.amqpUrl,
    databasePrefix,
    settings: { ...settings, BUS_NAMESPACE: `bench-${name}` },
  });
  const processes = createServiceProcesses(environments);
  try {
    await processes.startAll();
    const baseUrl = `http://127.0.0.1:${ports.public}`;
    const merchant = await makeMerchant(ports, secrets.serviceToken);
    const { merchantId, ...target } = { baseUrl, ...merchant };
    const made = await callGateway(target, "/transfer/crypto/beneficiary", beneficiaryBody());
    return {
      name,
      target: { ...target, beneficiaryId: made.beneficiary_id ?? "" },
      merchantId,
      db: (service) => ground.mongo.db(`${databasePrefix}${service}`),
      databasePrefix,
      pids: pidsOf(processes.pid),
      openAccounts: (count) => openAccounts(ports, secrets.serviceToken, merchantId, count),
      stop: processes.stop,
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

async function choosePorts(): Promise<Ports> {
  const chosen = await freePorts(serviceNames.length + 1);
  const names = [...serviceNames, "public"] as const;
  return Object.fromEntries(names.map((name, at) => [name, chosen[at] ?? 0])) as Ports;
}

function urlsOf(ports: Ports): Record<ServiceName, string> {
  const urls = serviceNames.map((service) => [service, `http://127.0.0.1:${ports[service]}`]);
  return Object.fromEntries(urls) as Record<ServiceName, string>;
}

async function openAccounts(ports: Ports, token: string, merchantId: string, count: number) {
  return withSandboxClients(urlsOf(ports), token, async ({ payout }) => {
    const ids: string[] = [];
    for (let at = 1; at <= count; at += 1) {
      const opening = serviceMutation("bench", `bench:open:${at}`);
      const usd = { mutation: opening, merchantId, currencyCode: "USD" };
      const accountId = (await payout.openAccount(usd)).account?.id ?? "";
      const mutation = serviceMutation("bench", `bench:funds:${at}`);
      await payout.creditAccount({ mutation, merchantId, accountId, amount: funds });
      ids.push(accountId);
    }
    return ids;
  });
}

/** A merchant of the sandbox, with more money than the sandbox gives. */
async function makeMerchant(ports: Ports, serviceToken: string) {
  return withSandboxClients(urlsOf(ports), serviceToken, async (clients) => {
    await untilAnswered(() => clients.keys.listKeys({ merchantId: "none" }), readyTimeoutMs);
    const { merchants, accounts } = await seedSandbox(clients, undefined);
    const { merchant_id: merchantId, api_key: apiKey } = merchants.acme;
    const account = accounts.find((each) => each.merchant === "acme" && each.currency === "USD");
    const accountId = account?.account_id ?? "";
    const mutation = serviceMutation("bench", "bench:funds");
    const credit = { merchantId, accountId, amount: funds, note: "bench" };
    await clients.payout.creditAccount({ mutation, ...credit });
    return { merchantId, apiKey, accountId };
  });
}

function pidsOf(pid: (service: ServiceName) => number): Record<ServiceName, number> {
  const pairs = serviceNames.map((service) => [service, pid(service)] as const);
  return Object.fromEntries(pairs) as Record<ServiceName, number>;
}
