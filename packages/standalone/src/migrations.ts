import { migrations as beneficiary } from "@disburse/beneficiary/migrations.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Migration, migrateDatabase } from "@disburse/chassis/mongo/migrations.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { migrations as compliance } from "@disburse/compliance/migrations.ts";
import { migrations as gateway } from "@disburse/gateway/migrations.ts";
import { migrations as notifier } from "@disburse/notifier/migrations.ts";
import { migrations as payout } from "@disburse/payout/migrations.ts";
import { migrations as quote } from "@disburse/quote/migrations.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";

export const migrations: Readonly<Record<ServiceName, readonly Migration[]>> = {
  beneficiary,
  compliance,
  gateway,
  notifier,
  payout,
  quote,
};

export async function migrateServices(
  environments: Readonly<Record<ServiceName, Environment>>,
  logOf: (service: ServiceName) => Log,
): Promise<void> {
  const jobs = serviceNames.map((service) => {
    const { MONGODB_URI: uri = "", DATABASE: name = "" } = environments[service];
    return migrateDatabase({ uri, name }, migrations[service], logOf(service));
  });
  await Promise.all(jobs);
}
