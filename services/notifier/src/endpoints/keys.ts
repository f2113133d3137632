import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { fromStored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { PostRequest } from "../sender/sender.ts";
import { resealedHeaders } from "./headers.ts";
import type { Recipient, SealedKey } from "./rules/endpoint.ts";
import { signingKeys } from "./rules/secret-set.ts";
import {
  type Signable,
  type Signers,
  type SigningSecrets,
  secretsFrom,
  signatureHeaders,
} from "./rules/signature.ts";
import type { EndpointStore } from "./store.ts";

/**
 * Length of a secret in bytes. It equals the length of the hash's output (decisions: secrets are 32
 * random bytes).
 */
const secretLength = 32;

type Owner = { readonly merchantId: string; readonly id: string };

/** Returns the context that binds an encrypted secret to its endpoint, key and field. */
function context(owner: Owner, keyId: string, field: "secret" | "standard_secret"): string {
  return `${owner.merchantId}|${owner.id}|${keyId}.${field}`;
}

/** Generates and encrypts a pair of secrets. */
export function makeKey(sealer: Sealer, owner: Owner, madeAt: Date): SealedKey {
  const random = () => crypto.getRandomValues(new Uint8Array(secretLength));
  return sealedKey(sealer, owner, crypto.randomUUID(), secretsFrom(random(), random()), madeAt);
}

function sealedKey(
  sealer: Sealer,
  owner: Owner,
  id: string,
  { secret, standardSecret }: SigningSecrets,
  madeAt: Date,
): SealedKey {
  return {
    id,
    secret: sealer.seal(secret, context(owner, id, "secret")),
    standardSecret: sealer.seal(standardSecret, context(owner, id, "standard_secret")),
    madeAt,
  };
}

/**
 * Encrypts a key's secrets again with the current encryption key. Throws if the older encryption
 * key is missing.
 */
function resealedKey(sealer: Sealer, owner: Owner, key: SealedKey): SealedKey {
  const isCurrent = sealer.isCurrent(key.secret) && sealer.isCurrent(key.standardSecret);
  if (isCurrent) return key;
  return sealedKey(sealer, owner, key.id, openedKey(sealer, owner, key), key.madeAt);
}

function openedKey(sealer: Sealer, owner: Owner, key: SealedKey): SigningSecrets {
  return {
    secret: sealer.open(key.secret, context(owner, key.id, "secret")),
    standardSecret: sealer.open(key.standardSecret, context(owner, key.id, "standard_secret")),
  };
}

export function openKey(sealer: Sealer, endpoint: Recipient, keyId: string): SigningSecrets {
  const key = endpoint.keys.find(({ id }) => id === keyId);
  if (key === undefined) throw new Error(`endpoint ${endpoint.id} has no signing key ${keyId}`);
  return openedKey(sealer, endpoint, key);
}

export function openSigners(sealer: Sealer, endpoint: Recipient, now: Date): Signers {
  const { current, previous } = signingKeys(endpoint.signing, now);
  return {
    current: openKey(sealer, endpoint, current),
    ...(previous === undefined ? {} : { previous: openKey(sealer, endpoint, previous) }),
  };
}

export type SigningDeps = {
  readonly sealer: Sealer;
  /** Name of the header that contains the API's own signature. */
  readonly signatureHeader: string;
  readonly clock: Clock;
  /**
   * Clock for the timestamps of signatures, which receivers compare with their own clocks. The
   * default is `clock`.
   */
  readonly wall?: Clock;
};

/** Builds a request that posts an event. The endpoint's secrets that are valid at `now` sign it. */
export function signedRequest(
  { sealer, signatureHeader, clock, wall = clock }: SigningDeps,
  endpoint: Recipient,
  url: string,
  event: Signable,
  now: Date,
): PostRequest {
  const signers = openSigners(sealer, endpoint, now);
  const headers = signatureHeaders(event, signers, signatureHeader, wall.now());
  return { url, headers, body: event.body };
}

type ResealingDeps = {
  readonly sealedKeys: SealedKeyStore;
  readonly sealer: Sealer;
  readonly metrics: Metrics;
  readonly log: Log;
};

/**
 * Interval between two runs. A process with old settings may use the older encryption key until it
 * ends, so one run is not enough.
 */
const resealEveryMs = 3_600_000;

/**
 * Encrypts secrets of older encryption keys again with the current one. Runs at the start and then
 * every hour.
 */
export function startResealing(deps: ResealingDeps): Loop {
  const round = createResealing(deps);
  const run = () => round().then(() => false);
  return startLoop({ name: "webhook-resealing", everyMs: resealEveryMs, run, log: deps.log });
}

/**
 * Encrypts the secrets and headers of all endpoints again with the current encryption key,
 * including deleted endpoints. Writes each endpoint once, and only if its revision has not changed
 * since the read. If it has changed or its encryption key is missing, the next run tries again.
 * When no text with an older key remains, you can remove the older keys from the settings.
 */
export function createResealing(deps: ResealingDeps) {
  const { sealedKeys, log } = deps;
  const leftover = deps.metrics.gauge(
    "disburse_webhook_endpoints_under_older_keys",
    "Webhook endpoints whose secrets are encrypted under an older data key, as of the last check.",
  );
  return async (): Promise<{ readonly resealed: number; readonly left: number }> => {
    const counts = { resealed: 0, left: 0 };
    for await (const endpoint of sealedKeys.all()) {
      const result = await resealEndpoint(deps, endpoint);
      if (result !== "current") counts[result] += 1;
    }
    leftover.set(counts.left);
    if (counts.resealed + counts.left > 0)
      log.info(counts, "endpoint secrets encrypted under the current data key");
    return counts;
  };
}

async function resealEndpoint(
  { sealedKeys, sealer, log }: ResealingDeps,
  endpoint: SealedKeys,
): Promise<"current" | "resealed" | "left"> {
  let keys: readonly SealedKey[];
  let sealedHeaders: string | undefined;
  try {
    keys = endpoint.keys.map((key) => resealedKey(sealer, endpoint, key));
    sealedHeaders = resealedHeaders(sealer, endpoint);
  } catch (error) {
    log.error(
      { err: error, endpoint_id: endpoint.id },
      "decrypting the secrets of an endpoint failed",
    );
    return "left";
  }
  const isCurrent = keys.every((key, at) => key === endpoint.keys[at]);
  if (isCurrent && sealedHeaders === endpoint.sealedHeaders) return "current";
  const isWritten = await sealedKeys.rewrite({ ...endpoint, keys, sealedHeaders });
  return isWritten ? "resealed" : "left";
}

type SealedKeys = Owner & Pick<Recipient, "revision" | "keys" | "sealedHeaders">;

/** The encrypted texts that must be encrypted again after a rotation of the encryption key. */
export type SealedKeyStore = ReturnType<typeof openSealedKeyStore>;

/** Endpoints per page, about 100 KiB. Other work can run between two pages. */
const pageSize = 50;

/** Opens the store of encrypted texts. It contains all endpoints, including deleted ones. */
export function openSealedKeyStore({ collection: endpoints }: Pick<EndpointStore, "collection">) {
  return {
    all: async function* (): AsyncGenerator<SealedKeys> {
      let after = "";
      for (;;) {
        const page = await endpoints
          .find(
            { _id: { $gt: after } },
            { projection: { merchant_id: 1, revision: 1, keys: 1, headers: 1 } },
          )
          .sort({ _id: 1 })
          .limit(pageSize)
          .toArray();
        for (const { _id: id, merchant_id: merchantId, revision, keys, headers } of page) {
          const sealed = fromStored<readonly SealedKey[]>(keys);
          yield { id, merchantId, revision, keys: sealed, sealedHeaders: headers };
        }
        const last = page.at(-1);
        if (last === undefined) return;
        after = last._id;
      }
    },

    /**
     * Writes the keys and headers as a new revision. Returns `false` if another write has created a
     * newer revision.
     */
    rewrite: async ({ id, revision, keys, sealedHeaders }: SealedKeys): Promise<boolean> => {
      const headers = sealedHeaders === undefined ? {} : { headers: sealedHeaders };
      const { matchedCount } = await endpoints.updateOne(
        { _id: id, revision },
        { $set: { keys: toStored(keys), ...headers }, $inc: { revision: 1 } },
      );
      return matchedCount === 1;
    },
  };
}
