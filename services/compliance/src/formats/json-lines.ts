import { isRefused } from "@disburse/kernel/refusal.ts";
import type { ListEntry } from "../domain/list-entry.ts";
import { listFile } from "./list-file.ts";
import type { ListFile } from "./list-format.ts";
import { Unreadable } from "./unreadable.ts";

/** The query set's index, and the house's own lists: one entry a line. */
export function readJsonLines([file, ...more]: readonly ListFile[]): ListEntry[] {
  if (file === undefined || more.length > 0) throw new Unreadable("files: must be one");
  const lines = listFile();
  const entries = lines.push(file.bytes);
  if (isRefused(entries)) throw new Unreadable(entries.detail);
  const last = lines.end();
  if (isRefused(last)) throw new Unreadable(last.detail);
  return [...entries, ...last];
}
