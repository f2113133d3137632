import { connectDatabase, type Database } from "@disburse/chassis/mongo/database.ts";
import { connectService, type ServiceClientOptions } from "@disburse/chassis/rpc/client.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import {
  type Ports,
  type ServiceName,
  serviceEnvironments,
} from "@disburse/sandbox/environments.ts";
import type { MerchantName } from "@disburse/sandbox/sandbox-data.ts";
import { newSecrets } from "@disburse/sandbox/secrets.ts";
import { type SeededSandbox, seedSandbox, untilAnswered } from "@disburse/sandbox/seed.ts";
import { createServiceProcesses } from "@disburse/sandbox/service-processes.ts";
import { amqpUrl, freshPrefix } from "./broker.ts";
import { freshDatabase, mongodbUri } from "./engine.ts";

/** The whole platform, each service a process of its own, on the run's engine and broker. */
export type SeparatePlatform = {
  readonly baseUrl: string;
  readonly sandbox: SeededSandbox;
  readonly serviceToken: string;
  /** Where a service's RPCs are served. */
  url(service: ServiceName): string;
  apiKey(merchant: MerchantName): string;
  /** An account of the sandbox: of a currency, with money in it or empty. */
  accountId(merchant: MerchantName, currency: string, funded?: boolean): string;
  readonly clients: ReturnType<typeof connectAll>;
  /** Ends a service with SIGKILL and waits until it is gone. */
  kill(service: ServiceName): Promise<void>;
  /** Starts a service that was killed, as it was, and waits until it answers. */
  start(service: ServiceName): Promise<void>;
  /** Opens the database of a service as the service does; the caller closes it. */
  openDatabase(service: ServiceName): Promise<Database>;
  /** All that a service has written to its log. */
  log(service: ServiceName): string;
  stop(): Promise<void>;
};

/** Six processes start on two cores. */
const startTimeoutMs = 60_000;

/** Starts every service from its own `main.ts` and makes the sandbox over their RPCs. */
export async function startSeparatePlatform(settings: Environment = {}): Promise<SeparatePlatform> {
  const [
    compliance = 0,
    beneficiary = 0,
    notifier = 0,
    quote = 0,
    payout = 0,
    gateway = 0,
    edge = 0,
  ] = await freePorts(7);
  const ports: Ports = { compliance, beneficiary, notifier, quote, payout, gateway, public: edge };
  const secrets = newSecrets();
  const environments = serviceEnvironments({
    host: "127.0.0.1",
    ports,
    secrets,
    mongodbUri,
    amqpUrl: amqpUrl(),
    databasePrefix: `${freshDatabase("e2e")}_`,
    settings: { BUS_NAMESPACE: freshPrefix("e2e").replaceAll(".", "-"), ...settings },
  });
  const processes = createServiceProcesses(environments);
  const url = (service: ServiceName) => `http://127.0.0.1:${ports[service]}`;
  const baseUrl = `http://127.0.0.1:${edge}`;
  const clients = connectAll(url, { caller: "testkit", serviceToken: secrets.serviceToken });

  const stop = async () => {
    clients.close();
    await processes.stop();
  };
  try {
    await processes.startAll();
    await untilAnswered(() => clients.keys.listKeys({ merchantId: "mer_none" }), startTimeoutMs);
    const sandbox = await seedSandbox(clients, undefined);
    return {
      baseUrl,
      sandbox,
      serviceToken: secrets.serviceToken,
      url,
      apiKey: (merchant) => sandbox.merchants[merchant].api_key,
      accountId: (merchant, currency, funded = true) =>
        accountOf(sandbox, merchant, currency, funded),
      clients,
      kill: processes.kill,
      start: processes.start,
      openDatabase: (service) => {
        const name = environments[service].DATABASE ?? "";
        return connectDatabase(mongodbUri(name), name);
      },
      log: processes.log,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function accountOf(
  { accounts }: SeededSandbox,
  merchant: MerchantName,
  currency: string,
  funded: boolean,
): string {
  const found = accounts.find(
    (each) =>
      each.merchant === merchant &&
      each.currency === currency &&
      /[1-9]/.test(each.available) === funded,
  );
  if (found === undefined) throw new Error(`${merchant} has no such account in ${currency}`);
  return found.account_id;
}

function connectAll(url: (service: ServiceName) => string, options: ServiceClientOptions) {
  const patient = { timeoutMs: 30_000, ...options };
  const beneficiary = connectService(BeneficiaryService, url("beneficiary"), patient);
  const compliance = connectService(ComplianceService, url("compliance"), patient);
  const review = connectService(ComplianceReviewService, url("compliance"), patient);
  const quote = connectService(QuoteService, url("quote"), patient);
  const payout = connectService(PayoutService, url("payout"), patient);
  const operations = connectService(PayoutOperationsService, url("payout"), patient);
  const notifier = connectService(NotifierService, url("notifier"), patient);
  const keys = connectService(KeyService, url("gateway"), patient);
  const all = [beneficiary, compliance, review, quote, payout, operations, notifier, keys];
  return {
    beneficiary: beneficiary.rpc,
    compliance: compliance.rpc,
    review: review.rpc,
    quote: quote.rpc,
    payout: payout.rpc,
    operations: operations.rpc,
    notifier: notifier.rpc,
    keys: keys.rpc,
    close: () => {
      for (const client of all) client.close();
    },
  };
}
