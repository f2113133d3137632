import { readFileSync } from "node:fs";
import { createLocalJWKSet, createRemoteJWKSet, type JWTHeaderParameters } from "jose";
import type { Log } from "../log.ts";
import { type Environment, type Mode, SettingsError } from "../settings.ts";
import { readServiceKey, readTrustedKeys, type ServiceKey, type TrustedKeys } from "./keys.ts";
import { type ClientIdentity, serviceIdentity } from "./service-tokens.ts";
import type { IdentitySettings } from "./settings.ts";
import type { StepUp } from "./step-up.ts";
import { createVerifier, type PersonIssuer, type Verify } from "./verifier.ts";

/** Who a process is, and how it finds out who calls it. */
export type Identity = {
  readonly identity: ClientIdentity;
  readonly verify: Verify;
  /** What RPCs that ask for a fresh sign-in ask of it. */
  readonly stepUp: StepUp;
  /** The process's own key as it is now. */
  readonly serviceKey: () => ServiceKey;
  /** The public keys of all services as they are now. */
  readonly trustedKeys: () => TrustedKeys;
};

/** How often key files are looked at for a change. */
const reloadEveryMs = 10_000;
/** A live issuer's tokens are good for 15 minutes at most: so late is a person's end seen. */
const personLifetimeMaxSeconds = 900;

/**
 * Opens the identity of a service's process. Keys that were given as files are read anew when the
 * files change: a key is rotated without a restart. A file that is malformed then is logged, and
 * the keys of before stay.
 *
 * @throws {SettingsError} where the key is another service's, or no key of the issuer is given.
 */
export function openIdentity(
  service: string,
  settings: IdentitySettings & { readonly DISBURSE_MODE: Mode },
  environment: Environment,
  log: Log,
  everyMs = reloadEveryMs,
): Identity & { readonly stop: () => void } {
  const { TRUST_DOMAIN: trustDomain } = settings;
  const keyOfService = (key: ServiceKey) => {
    if (key.service === service) return key;
    throw new SettingsError(`settings: SERVICE_KEY: is a key of ${key.service}`);
  };
  let trustedKeys = settings.TRUSTED_KEYS;
  let serviceKey = keyOfService(settings.SERVICE_KEY);
  let identity = serviceIdentity(serviceKey, trustDomain);
  const files = [
    followFile(environment.SERVICE_KEY_FILE, (text) => {
      serviceKey = keyOfService(readServiceKey(text));
      identity = serviceIdentity(serviceKey, trustDomain);
    }),
    followFile(environment.TRUSTED_KEYS_FILE, (text) => {
      trustedKeys = readTrustedKeys(text);
    }),
  ];
  const follow = () => {
    for (const file of files) {
      try {
        if (file()) log.info({}, "keys read anew");
      } catch (error) {
        log.error({ err: error }, "keys not read anew");
      }
    }
  };
  const timer = setInterval(follow, everyMs).unref();
  return {
    identity: (to) => identity(to),
    /** What the service signs with now. */
    serviceKey: () => serviceKey,
    trustedKeys: () => trustedKeys,
    verify: createVerifier({
      service,
      trustDomain,
      trustedKeys: () => trustedKeys,
      persons: personIssuer(settings),
    }),
    stepUp: { maxAgeSeconds: settings.STEP_UP_MAX_AGE_SECONDS, acr: settings.STEP_UP_ACR },
    stop: () => clearInterval(timer),
  };
}

function personIssuer(
  settings: IdentitySettings & { readonly DISBURSE_MODE: Mode },
): PersonIssuer | undefined {
  const { OIDC_ISSUER: issuers, OIDC_JWKS: keys, OIDC_JWKS_URL: url } = settings;
  if (issuers === undefined) return undefined;
  if (keys === undefined && url === undefined) {
    throw new SettingsError("settings: OIDC_JWKS_URL: is required beside OIDC_ISSUER");
  }
  const keyOf =
    keys === undefined ? createRemoteJWKSet(new URL(url ?? "")) : createLocalJWKSet(keys);
  return {
    issuers,
    audience: settings.OIDC_AUDIENCE,
    rolesClaim: settings.OIDC_ROLES_CLAIM,
    keyOf: (header) => keyOf(header as JWTHeaderParameters),
    exemptWithoutSignIn: settings.DISBURSE_MODE === "sandbox",
    lifetimeMaxSeconds:
      settings.DISBURSE_MODE === "live" ? personLifetimeMaxSeconds : Number.POSITIVE_INFINITY,
  };
}

/** Answers whether a file has changed since the last look, after its text was taken. */
function followFile(path: string | undefined, take: (text: string) => void): () => boolean {
  if (path === undefined || path === "") return () => false;
  let before = readFileSync(path, "utf8");
  return () => {
    const text = readFileSync(path, "utf8");
    if (text === before) return false;
    before = text;
    take(text);
    return true;
  };
}
