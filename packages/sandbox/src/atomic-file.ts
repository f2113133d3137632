import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

const fileMode = 0o600;

/** Replaces a file atomically: readers see the old or the new text, even after a crash. */
export function writeFileAtomically(path: string, text: string, mode = fileMode): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, "w", mode);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
}
