import { start as startBeneficiary } from "@disburse/beneficiary/main.ts";
import type { RunningService, Shared, StartService } from "@disburse/chassis/service/start.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { start as startCompliance } from "@disburse/compliance/main.ts";
import { start as startGateway } from "@disburse/gateway/main.ts";
import { start as startNotifier } from "@disburse/notifier/main.ts";
import { start as startPayout } from "@disburse/payout/main.ts";
import { start as startQuote } from "@disburse/quote/main.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";

export const serviceStarts: Readonly<Record<ServiceName, StartService>> = {
  compliance: startCompliance,
  beneficiary: startBeneficiary,
  notifier: startNotifier,
  quote: startQuote,
  payout: startPayout,
  gateway: startGateway,
};

/** Starts every service in this process. Adds each service's stop function to `ends`. */
export async function startServices(
  environments: Readonly<Record<ServiceName, Environment>>,
  shared: Shared,
  ends: (() => Promise<void>)[],
) {
  const running: Partial<Record<ServiceName, RunningService>> = {};
  for (const name of serviceNames) {
    const service = await serviceStarts[name](environments[name], shared);
    ends.push(service.stop);
    running[name] = service;
  }
  return running as Readonly<Record<ServiceName, RunningService>>;
}
