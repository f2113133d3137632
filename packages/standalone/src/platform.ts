import { start as startBeneficiary } from "@disburse/beneficiary/main.ts";
import { connectService } from "@disburse/chassis/rpc-client.ts";
import type { RunningService, Shared, StartService } from "@disburse/chassis/service.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { start as startCompliance } from "@disburse/compliance/main.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { start as startGateway } from "@disburse/gateway/main.ts";
import { start as startNotifier } from "@disburse/notifier/main.ts";
import { start as startPayout } from "@disburse/payout/main.ts";
import { start as startQuote } from "@disburse/quote/main.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/environments.ts";
import type { SandboxClients } from "@disburse/sandbox/seed.ts";

const starts: Readonly<Record<ServiceName, StartService>> = {
  compliance: startCompliance,
  beneficiary: startBeneficiary,
  notifier: startNotifier,
  quote: startQuote,
  payout: startPayout,
  gateway: startGateway,
};

export type Platform = {
  readonly services: Readonly<Record<ServiceName, RunningService>>;
  stop(): Promise<void>;
};

/** Starts every service in this process; when one does not start, those that did are stopped. */
export async function startPlatform(
  environments: Readonly<Record<ServiceName, Environment>>,
  shared: Shared,
): Promise<Platform> {
  const running: [ServiceName, RunningService][] = [];
  const stop = async () => {
    for (const [, service] of running.toReversed()) await service.stop();
  };
  try {
    for (const name of serviceNames) {
      running.push([name, await starts[name](environments[name], shared)]);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { services: Object.fromEntries(running) as Platform["services"], stop };
}

/** Calls services of this platform to make the sandbox in them. */
export async function withSandboxClients<T>(
  { services }: Platform,
  serviceToken: string,
  use: (clients: SandboxClients) => Promise<T>,
): Promise<T> {
  const identity = { caller: "sandbox", serviceToken, timeoutMs: 30_000 };
  const compliance = connectService(ComplianceService, services.compliance.url, identity);
  const beneficiary = connectService(BeneficiaryService, services.beneficiary.url, identity);
  const quote = connectService(QuoteService, services.quote.url, identity);
  const payout = connectService(PayoutService, services.payout.url, identity);
  const keys = connectService(KeyService, services.gateway.url, identity);
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
