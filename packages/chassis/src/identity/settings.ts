import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { countSetting, parsedSetting, secret, serviceUrlSetting, urlSetting } from "../settings.ts";
import { readServiceKey, readTrustedKeys } from "./keys.ts";
import { stepUpSecondsDefault } from "./step-up.ts";

/** Who the processes of a service are, and whom they believe (docs/decisions/0031-identity.md). */
export const identitySettings = {
  /** The service's own key, with which it signs; a private JWK. */
  SERVICE_KEY: secret(parsedSetting(readServiceKey)),
  /** The public keys of all services, a JWK set. No secret, but given in the same ways. */
  TRUSTED_KEYS: secret(parsedSetting(readTrustedKeys)),
  /** Of the deployment: tokens of another one are refused. */
  TRUST_DOMAIN: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{0,252}$/)
    .default("disburse"),
  /**
   * Mutual TLS beneath the tokens (docs/decisions/0042-mutual-tls.md): the process's certificate,
   * its key, and the certificates of the authorities that are believed. All of them or none.
   */
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  TLS_CA_FILE: z.string().optional(),
  /** Whether persons may call without a certificate; services never. */
  TLS_CLIENTS: z.enum(["services", "services_and_persons"]).default("services"),
  /**
   * Whose access tokens name persons: an OpenID provider, or several names of one joined by commas;
   * without it, persons have no access.
   */
  OIDC_ISSUER: serviceUrlSetting.optional(),
  /** What persons' tokens have to be made for. */
  OIDC_AUDIENCE: z.string().default("disburse"),
  /** The claim with a person's roles. */
  OIDC_ROLES_CLAIM: z.string().default("roles"),
  /** Where the issuer's keys are, a JWK set … */
  OIDC_JWKS_URL: urlSetting.optional(),
  /** … or the keys themselves. */
  OIDC_JWKS: secret(parsedSetting((text) => JSON.parse(text) as JSONWebKeySet).optional()),
  /** How old the sign-in of a person may be who approves; `step_up` of the contract. */
  STEP_UP_MAX_AGE_SECONDS: countSetting(1).default(stepUpSecondsDefault),
  /** The class of authentication, `acr`, that such a sign-in must have had. */
  STEP_UP_ACR: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/)
    .optional(),
} as const;

/** The settings of an identity, read. */
export type IdentitySettings = z.output<z.ZodObject<typeof identitySettings>>;
