import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { Binary } from "mongodb";
import { type KeyRecord, keyDigest } from "./rules/api-key.ts";
import { currentPepper, isOlder, type Peppers } from "./rules/peppers.ts";
import type { Keys } from "./store.ts";

/** Finds active keys that were hashed with a pepper of none of these versions. */
function hashedElse(versions: readonly string[], now: Date) {
  return {
    revoked_at: null,
    $nor: [{ expires_at: { $lte: now } }, { overlap_ends_at: { $lte: now } }],
    pepper: { $nin: [...versions] },
  };
}

type PepperDeps = { readonly keys: Keys; readonly peppers: Peppers; readonly clock: Clock };

/**
 * Checks that every active key can be verified.
 *
 * @throws {SettingsError} if a key's pepper is missing from the settings.
 */
export async function assertPeppers({ keys, peppers, clock }: PepperDeps): Promise<void> {
  const other = hashedElse([...peppers.byVersion.keys()], clock.now());
  const found = await keys.findOne(other, { projection: { pepper: 1 } });
  if (found === null) return;
  const count = await keys.countDocuments(other);
  throw new SettingsError(
    `settings: API_KEY_PEPPER: ${count} API keys are hashed with a missing pepper, such as ${found.pepper}: add all missing peppers again`,
  );
}

/**
 * Rehashes a key with the current pepper when the key is used. If another process has done so
 * first, or the database is unavailable, nothing changes. The next use retries.
 */
export function createRehash(deps: {
  readonly keys: Keys;
  readonly peppers: Peppers;
  readonly changed: (keyId: string) => void;
  readonly log: Log;
}): (record: KeyRecord, text: string) => void {
  const { keys, peppers, changed, log } = deps;
  const running = new Set<string>();
  const rehash = async ({ id, digest }: KeyRecord, text: string) => {
    const next = new Binary(keyDigest(text, currentPepper(peppers)));
    await keys.updateOne(
      { _id: id, digest: new Binary(digest) },
      { $set: { digest: next, pepper: peppers.current } },
    );
    changed(id);
  };
  return (record, text) => {
    if (!isOlder(record.pepper, peppers) || running.has(record.id)) return;
    running.add(record.id);
    rehash(record, text)
      .catch((error: unknown) =>
        log.warn(
          { err: error },
          "could not rehash an API key with the current pepper; the key's next use retries it",
        ),
      )
      .finally(() => running.delete(record.id));
  };
}

/**
 * Measures the number of active keys that are hashed with older peppers. When it is 0, you can
 * remove the older peppers. With a single pepper no read is necessary, because `assertPeppers` has
 * found no other key.
 */
export function countOlderPeppers({ keys, peppers, clock }: PepperDeps, metrics: Metrics) {
  const gauge = metrics.gauge(
    "disburse_api_keys_under_older_peppers",
    "Active API keys that were not used since API_KEY_PEPPER was rotated.",
  );
  return async (): Promise<void> => {
    const isRotating = peppers.byVersion.size > 1;
    const older = hashedElse([peppers.current], clock.now());
    gauge.set(isRotating ? await keys.countDocuments(older) : 0);
  };
}
