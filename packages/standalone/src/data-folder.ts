import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { newSecrets, type Secrets } from "@disburse/sandbox/secrets.ts";
import type { SandboxMerchants } from "@disburse/sandbox/seed.ts";

/** The file that tells tools and tests what the sandbox holds. */
export const sandboxFile = "sandbox.json";
const secretsFile = "secrets.json";
/** Only this user reads keys and secrets. */
const fileMode = 0o600;
const folderMode = 0o700;

/** The secrets of this folder's platform: made at its first start, read at every later one. */
export function readSecrets(folder: string): Secrets {
  mkdirSync(folder, { recursive: true, mode: folderMode });
  const path = join(folder, secretsFile);
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Secrets;
  const secrets = newSecrets();
  writeWhole(path, secrets);
  return secrets;
}

/** The merchants of an earlier start on this folder. */
export function knownMerchants(folder: string): SandboxMerchants | undefined {
  const path = join(folder, sandboxFile);
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as { merchants: SandboxMerchants }).merchants;
}

/** Writes JSON so that a reader, also after a crash, sees the old file or the new one whole. */
export function writeWhole(path: string, value: unknown): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, "w", fileMode);
  writeSync(file, `${JSON.stringify(value, null, 2)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
}
