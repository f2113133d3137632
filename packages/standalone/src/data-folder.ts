import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateSecrets, type Secrets } from "@disburse/sandbox/secrets.ts";
import { writeFileAtomically } from "@disburse/sandbox/whole-file.ts";

/** The file that tells tools and tests what the sandbox holds. */
export const sandboxFile = "sandbox.json";
const secretsFile = "secrets.json";
/** Only this user looks into it. */
const folderMode = 0o700;

/** The secrets of this folder's platform: made at its first start, read at every later one. */
export function readSecrets(folder: string): Secrets {
  mkdirSync(folder, { recursive: true, mode: folderMode });
  const path = join(folder, secretsFile);
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Secrets;
  const secrets = generateSecrets();
  writeFileAtomically(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}
