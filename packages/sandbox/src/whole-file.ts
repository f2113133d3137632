import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** Only this user reads keys and secrets. */
const fileMode = 0o600;

/** Writes a file so that a reader, also after a crash, sees the old one or the new one whole. */
export function writeFileAtomically(path: string, text: string): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, "w", fileMode);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
}
