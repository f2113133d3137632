import { type Client, Code, ConnectError } from "@connectrpc/connect";
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

/** Clients of the services that the sandbox is created in. */
export type SandboxClients = {
  readonly compliance: Client<typeof ComplianceService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly quote: Client<typeof QuoteService>;
  readonly payout: Client<typeof PayoutService>;
  readonly keys: Client<typeof KeyService>;
};

/** Where each service's RPCs are served. */
export type ServiceUrls = Readonly<Record<ServiceName, string>>;

/** A list's import is the longest call. */
const callTimeoutMs = 30_000;

/** Runs `use` with clients of the services, whose connections end with it. */
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

/** Waits until a service reports that it is serving. */
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

/** The pause between two attempts. */
const retryMs = 50;

/** Retries a call while its service is unavailable; throws the last error after `timeoutMs`. */
export async function retryUntilAvailable(
  call: () => Promise<unknown>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      const isUnavailable = error instanceof ConnectError && error.code === Code.Unavailable;
      if (!isUnavailable || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
