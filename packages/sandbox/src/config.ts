import { identitySettings } from "@disburse/chassis/identity/settings.ts";
import { type Environment, readSettings, secret, urlSetting } from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The settings of the job that creates the sandbox in running services. */
export function readConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    /** A live platform has no sandbox. */
    DISBURSE_MODE: z.literal("sandbox"),
    SERVICE_KEY: identitySettings.SERVICE_KEY,
    TRUST_DOMAIN: identitySettings.TRUST_DOMAIN,
    TLS_CERT_FILE: identitySettings.TLS_CERT_FILE,
    TLS_KEY_FILE: identitySettings.TLS_KEY_FILE,
    TLS_CA_FILE: identitySettings.TLS_CA_FILE,
    TLS_CLIENTS: identitySettings.TLS_CLIENTS,
    /** Signs the tokens of the sandbox's persons; a private JWK. */
    ISSUER_KEY: secret(z.string()),
    BENEFICIARY_URL: urlSetting,
    COMPLIANCE_URL: urlSetting,
    GATEWAY_URL: urlSetting,
    NOTIFIER_URL: urlSetting,
    PAYOUT_URL: urlSetting,
    QUOTE_URL: urlSetting,
    /** Where merchants reach the gateway. */
    BASE_URL: urlSetting,
    /** Written at the end; an earlier one has the merchants. */
    SANDBOX_FILE: z.string(),
    /**
     * In a Kubernetes cluster, the Secret that keeps the file: it is read before and written after,
     * by what `readClusterConfig` reads.
     */
    SANDBOX_SECRET: z.string().optional(),
  });
}

/** The settings of the command that prints a person's token. */
export function readTokenConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    DISBURSE_MODE: z.literal("sandbox"),
    /** Signs it; a private JWK. */
    ISSUER_KEY: secret(z.string()),
  });
}

/** The settings of the job that makes a sandbox's secrets as files. */
export function readSecretsConfig(environment: Environment = process.env) {
  return readSettings(environment, { TRUST_DOMAIN: identitySettings.TRUST_DOMAIN });
}

/** How a job reaches the API of its Kubernetes cluster. */
export type ClusterConfig = ReturnType<typeof readClusterConfig>;

/** The settings of a job that keeps Secrets in its Kubernetes cluster. */
export function readClusterConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    KUBERNETES_API: urlSetting,
    /** The job's own. */
    KUBERNETES_NAMESPACE: z.string().regex(/^[a-z0-9-]{1,63}$/),
    /** Of the job's service account. */
    KUBERNETES_TOKEN: secret(z.string()),
  });
}
