import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { writeFileAtomically } from "./atomic-file.ts";
import { generateSecrets, ownSettings, sharedSettings, workloads } from "./secrets.ts";

/**
 * Writes a sandbox's secrets to files of settings: what all services share to one, and to a file in
 * a folder of each service what it has for itself. What is there stays: data needs it.
 */

const [path, keysFolder] = process.argv.slice(2);
if (path === undefined || keysFolder === undefined) {
  throw new Error("usage: make-secrets.ts FILE KEYS-FOLDER");
}

const textOf = (settings: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

const stored = existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
// An earlier release made no keys of services.
if (stored.TRUSTED_KEYS === undefined) {
  const secrets = generateSecrets();
  for (const workload of workloads) {
    const own = join(keysFolder, workload, "sandbox.env");
    writeFileAtomically(own, textOf(ownSettings(secrets, workload)));
  }
  writeFileAtomically(path, textOf({ ...sharedSettings(secrets), ...stored }));
}
