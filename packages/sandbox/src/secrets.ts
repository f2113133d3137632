import { randomBytes } from "node:crypto";

/** The secrets of one deployment on one machine. */
export type Secrets = {
  readonly serviceToken: string;
  readonly encryptionKeys: string;
  readonly apiKeyPepper: string;
};

/** All symmetric secrets have 256 bits. */
const secretBytes = 32;

/** New secrets, from the system's randomness. */
export function generateSecrets(): Secrets {
  return {
    serviceToken: randomBytes(secretBytes).toString("base64url"),
    encryptionKeys: `k1:${randomBytes(secretBytes).toString("base64")}`,
    apiKeyPepper: randomBytes(secretBytes).toString("base64"),
  };
}
