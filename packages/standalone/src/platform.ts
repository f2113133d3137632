import { start as startBeneficiary } from "@disburse/beneficiary/main.ts";
import type { RunningService, Shared, StartService } from "@disburse/chassis/service.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { start as startCompliance } from "@disburse/compliance/main.ts";
import { start as startGateway } from "@disburse/gateway/main.ts";
import { start as startNotifier } from "@disburse/notifier/main.ts";
import { start as startPayout } from "@disburse/payout/main.ts";
import { start as startQuote } from "@disburse/quote/main.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/environments.ts";

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
