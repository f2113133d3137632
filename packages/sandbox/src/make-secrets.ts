import { existsSync } from "node:fs";
import { writeFileAtomically } from "./atomic-file.ts";
import { generateSecrets } from "./secrets.ts";

/**
 * Writes a sandbox's secrets to a file of settings. An existing file stays: with new secrets sealed
 * data could not be opened, and no API key would be valid.
 */

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: make-secrets.ts FILE");

if (!existsSync(path)) {
  const { serviceToken, encryptionKeys, apiKeyPepper } = generateSecrets();
  const lines = [
    `SERVICE_TOKEN=${serviceToken}`,
    `ENCRYPTION_KEYS=${encryptionKeys}`,
    `API_KEY_PEPPER=${apiKeyPepper}`,
  ];
  writeFileAtomically(path, lines.map((line) => `${line}\n`).join(""));
}
