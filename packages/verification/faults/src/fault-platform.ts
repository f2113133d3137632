import { connectService, type ServiceClient } from "@disburse/chassis/rpc/client.ts";
import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import type { Databases } from "@disburse/invariants/database-check.ts";
import { withSandboxClients } from "@disburse/sandbox/clients.ts";
import {
  type Ports,
  type ServiceName,
  serviceEnvironments,
  serviceNames,
} from "@disburse/sandbox/environments.ts";
import { newSecrets } from "@disburse/sandbox/secrets.ts";
import { seedSandbox, untilAnswered } from "@disburse/sandbox/seed.ts";
import {
  createServiceProcesses,
  type ServiceProcesses,
} from "@disburse/sandbox/service-processes.ts";
import type { MongoClient } from "mongodb";

/** Where the services' databases and events are. */
export type Places = {
  /** Connection string of a database, as the services use it. */
  readonly mongodbUri: (database: string) => string;
  readonly amqpUrl: string;
  /** The same databases for whoever looks on. */
  readonly mongo: () => MongoClient;
  readonly databasePrefix: string;
  /** Of exchange and queues. */
  readonly busNamespace: string;
};

/** Six processes and a merchant with much money, all of which may be hurt. */
export type FaultPlatform = {
  readonly baseUrl: string;
  readonly processes: ServiceProcesses;
  readonly places: Places;
  readonly merchantId: string;
  readonly apiKey: string;
  /** With money for any number of small payouts. */
  readonly accountId: string;
  readonly encryptionKeys: string;
  readonly databases: () => Databases;
  /** Opens a US dollar account of the merchant with this much in it; answers its id. */
  readonly openAccount: (amount: string) => Promise<string>;
  /** Lets `use` call the notifier; the connection ends with it. */
  readonly withNotifier: <T>(use: (notifier: NotifierRpc) => Promise<T>) => Promise<T>;
  /** Starts a second process of a service beside the first; the caller ends it. */
  readonly startBeside: (service: ServiceName) => Promise<ServiceProcesses>;
  readonly stop: () => Promise<void>;
};

type NotifierRpc = ServiceClient<typeof NotifierService>["rpc"];

/** Faults are what refuses here, and nothing else: neither pace nor the age of a quote. */
const settings = {
  LOG_LEVEL: "error",
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
  QUOTE_TTL_SECONDS: "600",
  SANDBOX_SETTLE_MS: "200",
};
const readyTimeoutMs = 60_000;
const funds = "50000000.00";

/** Starts the services and makes the sandbox in them. */
export async function startFaultPlatform(
  places: Places,
  more: Environment = {},
): Promise<FaultPlatform> {
  const chosen = await freePorts(serviceNames.length + 1);
  const names = [...serviceNames, "public"] as const;
  const ports = Object.fromEntries(names.map((name, at) => [name, chosen[at] ?? 0])) as Ports;
  const secrets = newSecrets();
  const environments = serviceEnvironments({
    ...{ host: "127.0.0.1", ports, secrets },
    mongodbUri: places.mongodbUri,
    amqpUrl: places.amqpUrl,
    databasePrefix: places.databasePrefix,
    settings: { ...settings, BUS_NAMESPACE: places.busNamespace, ...more },
  });
  const processes = createServiceProcesses(environments);
  const url = (service: ServiceName) => [service, `http://127.0.0.1:${ports[service]}`] as const;
  const urls = Object.fromEntries(serviceNames.map(url)) as Record<ServiceName, string>;
  try {
    await processes.startAll();
    const made = await makeMerchant(urls, secrets.serviceToken);
    const { merchantId } = made;
    return {
      ...made,
      baseUrl: `http://127.0.0.1:${ports.public}`,
      processes,
      places,
      encryptionKeys: secrets.encryptionKeys,
      databases: () => ({ client: places.mongo(), prefix: places.databasePrefix }),
      openAccount: (amount) => openAccount(urls, secrets.serviceToken, merchantId, amount),
      withNotifier: (use) => withNotifier(urls.notifier, secrets.serviceToken, use),
      startBeside: async (service) => {
        const [port] = await freePorts(1);
        const own = { ...environments[service], PORT: String(port) };
        const beside = createServiceProcesses({ ...environments, [service]: own });
        await beside.start(service);
        return beside;
      },
      stop: processes.stop,
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

type Urls = Readonly<Record<ServiceName, string>>;

async function withNotifier<T>(
  url: string,
  serviceToken: string,
  use: (notifier: NotifierRpc) => Promise<T>,
): Promise<T> {
  const client = connectService(NotifierService, url, { caller: "faults", serviceToken });
  try {
    return await use(client.rpc);
  } finally {
    client.close();
  }
}

async function makeMerchant(urls: Urls, serviceToken: string) {
  return withSandboxClients(urls, serviceToken, async (clients) => {
    await untilAnswered(() => clients.keys.listKeys({ merchantId: "none" }), readyTimeoutMs);
    const { merchants, accounts } = await seedSandbox(clients, undefined);
    const { merchant_id: merchantId, api_key: apiKey } = merchants.acme;
    const account = accounts.find((each) => each.merchant === "acme" && each.currency === "USD");
    const accountId = account?.account_id ?? "";
    const mutation = serviceMutation("faults", "faults:funds");
    const credit = { merchantId, accountId, amount: funds, note: "faults" };
    await clients.payout.creditAccount({ mutation, ...credit });
    return { merchantId, apiKey, accountId };
  });
}

async function openAccount(urls: Urls, serviceToken: string, merchantId: string, amount: string) {
  return withSandboxClients(urls, serviceToken, async ({ payout }) => {
    const key = `faults:${crypto.randomUUID()}`;
    const mutation = serviceMutation("faults", key);
    const { account } = await payout.openAccount({ mutation, merchantId, currencyCode: "USD" });
    const accountId = account?.id ?? "";
    const credit = serviceMutation("faults", `${key}:funds`);
    await payout.creditAccount({ mutation: credit, merchantId, accountId, amount, note: "faults" });
    return accountId;
  });
}
