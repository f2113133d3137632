import { existsSync } from "node:fs";
import { writeFileAtomically } from "./atomic-file.ts";
import { generateSecrets } from "./secrets.ts";

/** Writes a sandbox's secrets to a file of settings. An existing file stays: data needs it. */

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
