import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { countSetting, parsedSetting, secret, serviceUrlSetting, urlSetting } from "../settings.ts";
import { readServiceKey, readTrustedKeys } from "./keys.ts";
import { stepUpSecondsDefault } from "./step-up.ts";

/**
 * The identity of a service's processes, and the identities they trust
 * (docs/decisions/0031-identity.md).
 */
export const identitySettings = {
  /** The service's signing key, a private JWK. */
  SERVICE_KEY: secret(parsedSetting(readServiceKey)),
  /**
   * The public keys of all services, a JWK set. They are not secret, but the setting can name a
   * file too.
   */
  TRUSTED_KEYS: secret(parsedSetting(readTrustedKeys)),
  /** The deployment's domain. Tokens of another domain are refused. */
  TRUST_DOMAIN: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{0,252}$/)
    .default("disburse"),
  /**
   * Settings of mutual TLS, which is used in addition to tokens
   * (docs/decisions/0042-mutual-tls.md): the process's certificate, its key, and the certificates
   * of trusted authorities. Set all of them or none.
   */
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  TLS_CA_FILE: z.string().optional(),
  /**
   * With `services_and_persons`, persons may call without a certificate. Services always need one.
   */
  TLS_CLIENTS: z.enum(["services", "services_and_persons"]).default("services"),
  /**
   * The OpenID provider that issues persons' access tokens. If the provider has several names,
   * separate them with commas. Without this setting, persons have no access.
   */
  OIDC_ISSUER: serviceUrlSetting.optional(),
  /** The required audience of persons' tokens. */
  OIDC_AUDIENCE: z.string().default("disburse"),
  /** The claim with a person's roles. */
  OIDC_ROLES_CLAIM: z.string().default("roles"),
  /** The address of the issuer's keys, a JWK set. Alternatively set `OIDC_JWKS`. */
  OIDC_JWKS_URL: urlSetting.optional(),
  /** The issuer's keys as a JWK set. Alternatively set `OIDC_JWKS_URL`. */
  OIDC_JWKS: secret(parsedSetting((text) => JSON.parse(text) as JSONWebKeySet).optional()),
  /** The maximum age of a person's sign-in for RPCs with `step_up`, such as approvals. */
  STEP_UP_MAX_AGE_SECONDS: countSetting(1).default(stepUpSecondsDefault),
  /** The authentication class (`acr`) that a sign-in for such RPCs must have. */
  STEP_UP_ACR: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/)
    .optional(),
} as const;

export type IdentitySettings = z.output<z.ZodObject<typeof identitySettings>>;
