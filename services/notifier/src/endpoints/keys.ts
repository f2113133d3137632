import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Recipient, SealedKey } from "./rules/endpoint.ts";
import { signingKeys } from "./rules/secret-set.ts";
import { type Signers, type SigningSecrets, secretsFrom } from "./rules/signature.ts";

/** As many bits as the hash that they go into (decisions: secrets are 32 random bytes). */
const secretLength = 32;

/** Whose keys they are. */
export type Owner = { readonly merchantId: string; readonly id: string };

/** What is sealed for one key of one endpoint opens nowhere else. */
function context(owner: Owner, keyId: string, field: "secret" | "standard_secret"): string {
  return `${owner.merchantId}|${owner.id}|${keyId}.${field}`;
}

/** A new pair of secrets: sealed to be stored, and in the clear to be shown once. */
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

/** The same secrets, sealed by the key that seals now; throws when an older key is missing. */
export function resealedKey(sealer: Sealer, owner: Owner, key: SealedKey): SealedKey {
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

/** A key of an endpoint in the clear. */
export function openKey(sealer: Sealer, endpoint: Recipient, keyId: string): SigningSecrets {
  const key = endpoint.keys.find(({ id }) => id === keyId);
  if (key === undefined) throw new Error(`endpoint ${endpoint.id} has no key ${keyId}`);
  return openedKey(sealer, endpoint, key);
}

/** The secrets that sign for an endpoint at a moment. */
export function openSigners(sealer: Sealer, endpoint: Recipient, now: Date): Signers {
  const { current, previous } = signingKeys(endpoint.signing, now);
  return {
    current: openKey(sealer, endpoint, current),
    ...(previous === undefined ? {} : { previous: openKey(sealer, endpoint, previous) }),
  };
}
