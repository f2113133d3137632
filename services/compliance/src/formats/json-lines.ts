import { isRefused } from "@disburse/kernel/refusal.ts";
import type { ListEntry } from "../domain/list-entry.ts";
import { onlyFile } from "./file-bytes.ts";
import { listFile } from "./list-file.ts";
import type { ListFile } from "./list-format.ts";
import { Unreadable } from "./unreadable.ts";

/** The query set's index, and the house's own lists: one entry a line. */
export function readJsonLines(files: readonly ListFile[]): ListEntry[] {
  const lines = listFile();
  const entries = lines.push(onlyFile(files).bytes);
  if (isRefused(entries)) throw new Unreadable(entries.detail);
  const last = lines.end();
  if (isRefused(last)) throw new Unreadable(last.detail);
  return [...entries, ...last];
}
