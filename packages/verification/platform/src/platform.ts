import { connectService } from "@disburse/chassis/rpc/client.ts";
import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { retryUntilAvailable } from "@disburse/sandbox/clients.ts";
import { type SeededSandbox, seedSandbox } from "@disburse/sandbox/seed.ts";
import { configureServices, type PlatformOptions, type Services } from "./services.ts";

/** The whole platform, each service a process of its own, with the sandbox in it. */
export interface Platform extends Services {
  readonly clients: ServiceClients;
  readonly sandbox: SeededSandbox;
}

/** Typed clients of every internal service. */
export type ServiceClients = ReturnType<typeof connectAll>["rpcs"];

/** Six processes start on two cores. */
const startTimeoutMs = 60_000;
/** An import of a list is the longest call. */
const callTimeoutMs = 30_000;

/** Starts every service from its own `main.ts` and seeds the sandbox over their RPCs. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const services = await configureServices(options);
  const { rpcs: clients, close } = connectAll(services);
  const stop = async () => {
    close();
    await services.stop();
  };
  try {
    await services.startAll();
    await retryUntilAvailable(() => clients.keys.listKeys({ merchantId: "none" }), startTimeoutMs);
    const sandbox = await seedSandbox(clients, undefined);
    return { ...services, clients, sandbox, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function connectAll({ url, secrets: { serviceToken } }: Services) {
  const options = { caller: "verification", serviceToken, timeoutMs: callTimeoutMs };
  const beneficiary = connectService(BeneficiaryService, url("beneficiary"), options);
  const compliance = connectService(ComplianceService, url("compliance"), options);
  const review = connectService(ComplianceReviewService, url("compliance"), options);
  const quote = connectService(QuoteService, url("quote"), options);
  const payout = connectService(PayoutService, url("payout"), options);
  const operations = connectService(PayoutOperationsService, url("payout"), options);
  const notifier = connectService(NotifierService, url("notifier"), options);
  const keys = connectService(KeyService, url("gateway"), options);
  const all = [beneficiary, compliance, review, quote, payout, operations, notifier, keys];
  return {
    rpcs: {
      beneficiary: beneficiary.rpc,
      compliance: compliance.rpc,
      review: review.rpc,
      quote: quote.rpc,
      payout: payout.rpc,
      operations: operations.rpc,
      notifier: notifier.rpc,
      keys: keys.rpc,
    },
    close: () => {
      for (const client of all) client.close();
    },
  };
}

/** A merchant of the sandbox with money for any number of small payouts. */
export interface FundedMerchant {
  readonly merchantId: string;
  readonly apiKey: string;
  /** Its US dollar account. */
  readonly accountId: string;
  /** Opens another US dollar account with this much in it; answers its id. */
  openAccount(amount: string): Promise<string>;
}

/** Enough for a million payouts of the amounts that load asks for. */
export const ampleFunds = "50000000.00";

/** Credits the sandbox's first merchant with more money than the sandbox gives. */
export async function fundMerchant({ clients, sandbox }: Platform): Promise<FundedMerchant> {
  const { merchant_id: merchantId, api_key: apiKey } = sandbox.merchants.acme;
  const credit = async (accountId: string, amount: string, key: string) => {
    const mutation = serviceMutation("verification", key);
    const note = "verification";
    await clients.payout.creditAccount({ mutation, merchantId, accountId, amount, note });
    return accountId;
  };
  const { account_id } =
    sandbox.accounts.find((each) => each.merchant === "acme" && each.currency === "USD") ?? {};
  return {
    merchantId,
    apiKey,
    accountId: await credit(account_id ?? "", ampleFunds, "funds"),
    openAccount: async (amount) => {
      const key = `open:${crypto.randomUUID()}`;
      const opening = { mutation: serviceMutation("verification", key), merchantId };
      const { account } = await clients.payout.openAccount({ ...opening, currencyCode: "USD" });
      return credit(account?.id ?? "", amount, `${key}:funds`);
    },
  };
}
