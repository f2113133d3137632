import type { ListEntry } from "../rules/entry.ts";
import type { ListFile } from "./file-bytes.ts";
import { onlyFile } from "./file-bytes.ts";
import { parseListLine } from "./list-line.ts";
import { placedAt, Unreadable } from "./unreadable.ts";

/** Ten times the longest line of the lists of 2026 and more; past it a file is no list. */
const lineBytesMax = 1_048_576;
/** Some fifty times all public lists together; past it the entries would not fit the memory. */
const entriesMax = 1_000_000;

const newline = 0x0a;

/** The query set's index, and the house's own lists: one entry a line. */
export function readJsonLines(files: readonly ListFile[]): ListEntry[] {
  const { bytes } = onlyFile(files);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const entries = new Map<string, ListEntry>();
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found;
    const written = bytes.subarray(start, end);
    placedAt(`line ${line}`, () => {
      const text = lineText(decoder, written);
      if (text.trim() !== "") addEntry(entries, text);
    });
    start = end + 1;
  }
  if (entries.size === 0) throw new Unreadable("lines: must have at least one entry");
  return [...entries.values()];
}

function lineText(decoder: TextDecoder, bytes: Uint8Array): string {
  if (bytes.length > lineBytesMax) {
    throw new Unreadable(`is longer than ${lineBytesMax} bytes`);
  }
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new Unreadable("is not UTF-8", { cause: error });
  }
}

function addEntry(entries: Map<string, ListEntry>, text: string): void {
  const entry = parseListLine(text);
  if ("problem" in entry) throw new Unreadable(entry.problem);
  if (entries.has(entry.uid)) throw new Unreadable(`uid ${entry.uid} stands twice`);
  if (entries.size === entriesMax) throw new Unreadable(`is more than ${entriesMax} entries`);
  entries.set(entry.uid, entry);
}
