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
