import { randomBytes } from "node:crypto";

/** The secrets of one deployment. */
export type Secrets = {
  readonly serviceToken: string;
  readonly encryptionKeys: string;
  readonly apiKeyPepper: string;
};

/** All symmetric secrets have 256 bits. */
const secretBytes = 32;

/** New random secrets. */
export function generateSecrets(): Secrets {
  return {
    serviceToken: randomBytes(secretBytes).toString("base64url"),
    encryptionKeys: `k1:${randomBytes(secretBytes).toString("base64")}`,
    apiKeyPepper: randomBytes(secretBytes).toString("base64"),
  };
}

/** New random secrets, by the names of the settings that they are. */
export function secretSettings() {
  const { serviceToken, encryptionKeys, apiKeyPepper } = generateSecrets();
  return {
    SERVICE_TOKEN: serviceToken,
    ENCRYPTION_KEYS: encryptionKeys,
    API_KEY_PEPPER: apiKeyPepper,
  };
}
