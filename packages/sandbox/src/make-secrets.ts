import { existsSync } from "node:fs";
import { generateSecrets } from "./secrets.ts";
import { writeFileAtomically } from "./whole-file.ts";

/**
 * Makes a sandbox's secrets, as settings in the file that it is given. A file that is there stays:
 * with other secrets nobody could read what is sealed, and no key would be known.
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
