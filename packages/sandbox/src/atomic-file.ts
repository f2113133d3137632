import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** The files hold keys and secrets. */
const fileMode = 0o600;

/** Writes a file so that readers, also after a crash, see the old text or the new one. */
export function writeFileAtomically(path: string, text: string, mode = fileMode): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, "w", mode);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
}
