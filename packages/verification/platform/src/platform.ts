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
import type { ServiceName } from "@disburse/sandbox/environments.ts";
import { seedSandbox } from "@disburse/sandbox/seed.ts";
import { configureServices, type PlatformOptions, type Services } from "./services.ts";

/** The whole platform, each service a process of its own, with the sandbox in it. */
export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Six processes start on two cores. */
const startTimeoutMs = 60_000;
/** An import of a list is the longest call. */
const callTimeoutMs = 30_000;

/** Starts every service from its own `main.ts` and seeds the sandbox over their RPCs. */
export async function startPlatform(options: PlatformOptions) {
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

type AnyService = Parameters<typeof connectService>[0];

/** Typed clients of every internal service. */
function connectAll({ url, secrets: { serviceToken } }: Services) {
  const options = { caller: "verification", serviceToken, timeoutMs: callTimeoutMs };
  const opened: { close(): void }[] = [];
  const connect = <S extends AnyService>(contract: S, service: ServiceName) => {
    const client = connectService(contract, url(service), options);
    opened.push(client);
    return client.rpc;
  };
  return {
    rpcs: {
      beneficiary: connect(BeneficiaryService, "beneficiary"),
      compliance: connect(ComplianceService, "compliance"),
      review: connect(ComplianceReviewService, "compliance"),
      quote: connect(QuoteService, "quote"),
      payout: connect(PayoutService, "payout"),
      operations: connect(PayoutOperationsService, "payout"),
      notifier: connect(NotifierService, "notifier"),
      keys: connect(KeyService, "gateway"),
    },
    close: () => {
      for (const client of opened) client.close();
    },
  };
}

/** A merchant of the sandbox with money for any number of small payouts. */
export type FundedMerchant = Awaited<ReturnType<typeof fundMerchant>>;

/** Enough for a million payouts of the amounts that load asks for. */
export const ampleFunds = "50000000.00";

/** Credits the sandbox's first merchant with more money than the sandbox gives. */
export async function fundMerchant({ clients, sandbox }: Platform) {
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
    /** Its US dollar account. */
    accountId: await credit(account_id ?? "", ampleFunds, "funds"),
    /** Opens another US dollar account with this much in it; answers its id. */
    openAccount: async (amount: string) => {
      const key = `open:${crypto.randomUUID()}`;
      const opening = { mutation: serviceMutation("verification", key), merchantId };
      const { account } = await clients.payout.openAccount({ ...opening, currencyCode: "USD" });
      return credit(account?.id ?? "", amount, `${key}:funds`);
    },
  };
}
