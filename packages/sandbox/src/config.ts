import { identitySettings } from "@disburse/chassis/identity/settings.ts";
import { type Environment, readSettings, secret, urlSetting } from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** Settings of the job that creates the sandbox in running services. */
export function readConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    DISBURSE_MODE: z.literal("sandbox"),
    SERVICE_KEY: identitySettings.SERVICE_KEY,
    TRUST_DOMAIN: identitySettings.TRUST_DOMAIN,
    TLS_CERT_FILE: identitySettings.TLS_CERT_FILE,
    TLS_KEY_FILE: identitySettings.TLS_KEY_FILE,
    TLS_CA_FILE: identitySettings.TLS_CA_FILE,
    TLS_CLIENTS: identitySettings.TLS_CLIENTS,
    /** Signs `grpc_token`. Not set where persons sign in at another provider. */
    ISSUER_KEY: secret(z.string().optional()),
    BENEFICIARY_URL: urlSetting,
    COMPLIANCE_URL: urlSetting,
    GATEWAY_URL: urlSetting,
    NOTIFIER_URL: urlSetting,
    PAYOUT_URL: urlSetting,
    QUOTE_URL: urlSetting,
    BASE_URL: urlSetting,
    /**
     * The path of `sandbox.json`, which is written at the end. An existing file supplies the
     * merchants.
     */
    SANDBOX_FILE: z.string(),
    /**
     * In a Kubernetes cluster, the name of the Secret that stores the file. The job reads the
     * Secret at its start and writes it at its end. It also needs the settings of
     * `readClusterConfig`.
     */
    SANDBOX_SECRET: z.string().optional(),
  });
}

export function readTokenConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    DISBURSE_MODE: z.literal("sandbox"),
    ISSUER_KEY: secret(z.string()),
  });
}

/** Settings of the job that writes a sandbox's secrets to files. */
export function readSecretsConfig(environment: Environment = process.env) {
  return readSettings(environment, { TRUST_DOMAIN: identitySettings.TRUST_DOMAIN });
}

export type ClusterConfig = ReturnType<typeof readClusterConfig>;

/** Settings of a job that stores Secrets in its Kubernetes cluster. */
export function readClusterConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    KUBERNETES_API: urlSetting,
    KUBERNETES_NAMESPACE: z.string().regex(/^[a-z0-9-]{1,63}$/),
    KUBERNETES_TOKEN: secret(z.string()),
  });
}
