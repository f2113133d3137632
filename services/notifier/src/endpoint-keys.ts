import type { Sealer } from "@disburse/chassis/sealing.ts";
import type { EndpointRecord, SealedKey } from "./domain/endpoint.ts";
import { signingKeys } from "./domain/secret-set.ts";
import { type Signers, type SigningSecrets, secretsFrom } from "./domain/signature.ts";

/** As many bits as the hash that they go into (decisions: secrets are 32 random bytes). */
const secretLength = 32;

type Owner = { readonly merchantId: string; readonly id: string };

/** What is sealed for one key of one endpoint opens nowhere else. */
function context(owner: Owner, keyId: string, field: "secret" | "standard_secret"): string {
  return `${owner.merchantId}|${owner.id}|${keyId}.${field}`;
}

/** A new pair of secrets: sealed to be stored, and in the clear to be shown once. */
export function makeKey(sealer: Sealer, owner: Owner, madeAt: Date): SealedKey {
  const random = () => crypto.getRandomValues(new Uint8Array(secretLength));
  const made = secretsFrom(random(), random());
  const id = crypto.randomUUID();
  return {
    id,
    secret: sealer.seal(made.secret, context(owner, id, "secret")),
    standardSecret: sealer.seal(made.standardSecret, context(owner, id, "standard_secret")),
    madeAt,
  };
}

/** A key of an endpoint in the clear. */
export function openKey(sealer: Sealer, endpoint: EndpointRecord, keyId: string): SigningSecrets {
  const key = endpoint.keys.find(({ id }) => id === keyId);
  if (key === undefined) throw new Error(`endpoint ${endpoint.id} has no key ${keyId}`);
  return {
    secret: sealer.open(key.secret, context(endpoint, keyId, "secret")),
    standardSecret: sealer.open(key.standardSecret, context(endpoint, keyId, "standard_secret")),
  };
}

/** The secrets that sign for an endpoint at a moment. */
export function openSigners(sealer: Sealer, endpoint: EndpointRecord, now: Date): Signers {
  const { current, previous } = signingKeys(endpoint.signing, now);
  return {
    current: openKey(sealer, endpoint, current),
    ...(previous === undefined ? {} : { previous: openKey(sealer, endpoint, previous) }),
  };
}
