import { systemClock } from "@disburse/kernel/time.ts";
import type { Lifetime } from "../lifetime.ts";
import type { Log } from "../log.ts";
import { startLoop } from "../loop.ts";
import type { Metrics } from "../metrics.ts";
import type { Database } from "../mongo/database.ts";
import { openDataKeyStore } from "./data-key-store.ts";
import { type DataKeys, openDataKeys } from "./data-keys.ts";
import { type KeyProvider, ringProvider, withPrevious } from "./key-provider.ts";
import type { SealingSettings } from "./settings.ts";

/**
 * The interval of key maintenance. It is much shorter than the time before a new key encrypts texts
 * (`announcedMs` in data-keys.ts).
 */
const maintainEveryMs = 60_000;

export type OpenKeysDeps = {
  readonly name: string;
  readonly database: Pick<Database, "db">;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly lifetime: Lifetime;
};

/**
 * Opens the data keys of a service, and keeps them wrapped under the provider's current key.
 *
 * @param purposes the purposes of keyed hashes.
 */
export async function openKeys(
  { name: service, database, log, metrics, lifetime }: OpenKeysDeps,
  settings: SealingSettings,
  ...purposes: readonly string[]
): Promise<DataKeys> {
  const { ENCRYPTION_KEYS: ring = "" } = settings;
  const provider = await providerOf(settings);
  const keys = await openDataKeys({
    documents: openDataKeyStore(database.db),
    service,
    provider,
    ring,
    purposes,
    clock: systemClock,
  });
  const older = metrics.gauge(
    "disburse_data_keys_under_older_keys",
    "Data keys that are wrapped under an older encryption key. At 0, remove the older key from the settings.",
  );
  const run = async () => {
    older.set(await keys.maintain());
    return false;
  };
  const loop = startLoop({ name: "data-keys", everyMs: maintainEveryMs, run, log });
  lifetime.add("data keys", loop.stop);
  return keys;
}

async function providerOf(settings: SealingSettings): Promise<KeyProvider> {
  const { ENCRYPTION_KEYS: ring, AWS_KMS_KEY_IDS: keyIds, AWS_KMS_ENDPOINT: endpoint } = settings;
  if (keyIds !== undefined) {
    // The SDK is loaded only here, because it needs some megabytes and most deployments don't use
    // it.
    const { kmsClient, kmsProvider } = await import("./kms-provider.ts");
    const kms = kmsProvider(keyIds, kmsClient(endpoint));
    return ring === undefined ? kms : withPrevious(ringProvider(ring), kms);
  }
  return ringProvider(ring ?? "");
}
