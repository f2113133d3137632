import { readFileSync } from "node:fs";
import { createLocalJWKSet, createRemoteJWKSet, type JWTHeaderParameters } from "jose";
import type { Log } from "../log.ts";
import { type Environment, type Mode, SettingsError } from "../settings.ts";
import { readServiceKey, readTrustedKeys, type ServiceKey, type TrustedKeys } from "./keys.ts";
import { type ClientIdentity, serviceIdentity } from "./service-tokens.ts";
import type { IdentitySettings } from "./settings.ts";
import type { StepUp } from "./step-up.ts";
import { createVerifier, type PersonIssuer, type Verify } from "./verifier.ts";

/** The identity of a process, and the check of its callers' identities. */
export type Identity = {
  readonly identity: ClientIdentity;
  readonly verify: Verify;
  /** The requirements for a fresh sign-in, which some RPCs demand. */
  readonly stepUp: StepUp;
  readonly serviceKey: () => ServiceKey;
  /** The current public keys of all services. */
  readonly trustedKeys: () => TrustedKeys;
};

/** The interval between two checks for changed key files. */
const reloadEveryMs = 10_000;
/**
 * The maximum lifetime of persons' tokens in live mode. A removed person therefore keeps access for
 * at most 15 minutes.
 */
const personLifetimeMaxSeconds = 900;

/**
 * Opens the identity of a service's process. Changed key files are read again, so that a key can be
 * rotated without a restart. A malformed file is logged, and the previous keys stay in use.
 *
 * @throws {SettingsError} if the key belongs to another service, or no key of the issuer is given.
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
    assertKeyOf(service, key);
    return key;
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
        if (file()) log.info({}, "service key or trusted keys reloaded");
      } catch (error) {
        log.error(
          { err: error },
          "reloading the service key or trusted keys failed; the previous ones stay in use",
        );
      }
    }
  };
  if (settings.DISBURSE_MODE === "live" && settings.OIDC_ISSUER === undefined) {
    // Approvals and investigations need persons. Without them, no one can operate the deployment.
    log.warn({}, "no person has access: OIDC_ISSUER is not set");
  }
  const timer = setInterval(follow, everyMs).unref();
  return {
    identity: (to) => identity(to),
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

/** @throws {SettingsError} if the key belongs to another service. */
export function assertKeyOf(service: string, key: ServiceKey): void {
  if (key.service === service) return;
  throw new SettingsError(
    `settings: SERVICE_KEY: belongs to the service ${key.service}, not to ${service}`,
  );
}

function personIssuer(
  settings: IdentitySettings & { readonly DISBURSE_MODE: Mode },
): PersonIssuer | undefined {
  const { OIDC_ISSUER: issuers, OIDC_JWKS: keys, OIDC_JWKS_URL: url } = settings;
  if (issuers === undefined) return undefined;
  if (keys === undefined && url === undefined) {
    throw new SettingsError("settings: OIDC_JWKS_URL: is required if OIDC_ISSUER is set");
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

/**
 * Returns a function that checks a file for changes and passes changed text to `take`. It returns
 * true if the file changed.
 */
function followFile(path: string | undefined, take: (text: string) => void): () => boolean {
  if (path === undefined || path === "") return () => false;
  let previous = readFileSync(path, "utf8");
  return () => {
    const text = readFileSync(path, "utf8");
    if (text === previous) return false;
    previous = text;
    take(text);
    return true;
  };
}
