import { Code, ConnectError } from "@connectrpc/connect";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import type { ServiceName } from "./environments.ts";
import { retryUntilAvailable, type SandboxClients } from "./seed.ts";

/** Where each service's RPCs are served. */
export type ServiceUrls = Readonly<Record<ServiceName, string>>;

/** A list's import is the longest of the calls. */
const callTimeoutMs = 30_000;

/** Lets `use` call the services that the sandbox is made in; the connections end with it. */
export async function withSandboxClients<T>(
  urls: ServiceUrls,
  serviceToken: string,
  use: (clients: SandboxClients) => Promise<T>,
): Promise<T> {
  const identity = { caller: "sandbox", serviceToken, timeoutMs: callTimeoutMs };
  const compliance = connectService(ComplianceService, urls.compliance, identity);
  const beneficiary = connectService(BeneficiaryService, urls.beneficiary, identity);
  const quote = connectService(QuoteService, urls.quote, identity);
  const payout = connectService(PayoutService, urls.payout, identity);
  const keys = connectService(KeyService, urls.gateway, identity);
  try {
    return await use({
      compliance: compliance.rpc,
      beneficiary: beneficiary.rpc,
      quote: quote.rpc,
      payout: payout.rpc,
      keys: keys.rpc,
    });
  } finally {
    for (const client of [compliance, beneficiary, quote, payout, keys]) client.close();
  }
}

/** Waits until a service says that it can do its work. */
export async function waitUntilServing(
  url: string,
  serviceToken: string,
  timeoutMs: number,
): Promise<void> {
  const health = connectService(Health, url, { caller: "sandbox", serviceToken });
  try {
    await retryUntilAvailable(async () => {
      const { status } = await health.rpc.check({});
      if (status === HealthCheckResponse_ServingStatus.SERVING) return;
      throw new ConnectError("the service is not serving", Code.Unavailable);
    }, timeoutMs);
  } finally {
    health.close();
  }
}
