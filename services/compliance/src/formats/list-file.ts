import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { ListEntry } from "../domain/list-entry.ts";
import { parseListLine } from "./list-line.ts";

/** Ten times the longest line of the lists of 2026 and more; past it a file is no list. */
const lineBytesMax = 1_048_576;
/** Some fifty times all public lists together; past it the entries would not fit the memory. */
const entriesMax = 1_000_000;

export type ListFileRefusal = Refused<"INVALID_REQUEST">;

/** Reads a list whose lines arrive in pieces that are cut anywhere, also within a character. */
export type ListFile = {
  /** The entries that this piece completes. */
  push(piece: Uint8Array): ListEntry[] | ListFileRefusal;
  /** The entry of a last line that no newline ends, after which the list is whole. */
  end(): ListEntry[] | ListFileRefusal;
};

const newline = 0x0a;

/** A reader of one list. After a refusal it is not asked again. */
export function listFile(): ListFile {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const uids = new Set<string>();
  let rest: Uint8Array[] = [];
  let restLength = 0;
  let lineNumber = 0;

  const takeRest = (last: Uint8Array): Uint8Array => {
    const whole = rest.length === 0 ? last : Buffer.concat([...rest, last]);
    rest = [];
    restLength = 0;
    return whole;
  };
  const readLine = (bytes: Uint8Array): ListEntry | undefined | ListFileRefusal => {
    lineNumber += 1;
    const wrong = (problem: string) => refused("INVALID_REQUEST", `line ${lineNumber}: ${problem}`);
    if (bytes.length > lineBytesMax) return wrong(`is longer than ${lineBytesMax} bytes`);
    const line = decodedLine(decoder, bytes);
    if (line === undefined) return wrong("is not UTF-8");
    if (line.trim() === "") return undefined;
    const entry = parseListLine(line);
    if ("problem" in entry) return wrong(entry.problem);
    if (uids.has(entry.uid)) return wrong(`uid ${entry.uid} stands twice`);
    if (uids.size === entriesMax) return wrong(`is more than ${entriesMax} entries`);
    uids.add(entry.uid);
    return entry;
  };
  const readLines = (lines: readonly Uint8Array[]): ListEntry[] | ListFileRefusal => {
    const entries: ListEntry[] = [];
    for (const bytes of lines) {
      const entry = readLine(bytes);
      if (entry === undefined) continue;
      if ("refused" in entry) return entry;
      entries.push(entry);
    }
    return entries;
  };
  return {
    push(piece) {
      const lines: Uint8Array[] = [];
      let start = 0;
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, start)) {
        lines.push(takeRest(piece.subarray(start, at)));
        start = at + 1;
      }
      rest.push(piece.subarray(start));
      restLength += piece.length - start;
      if (restLength > lineBytesMax) lines.push(takeRest(new Uint8Array()));
      return readLines(lines);
    },
    end() {
      const entries = readLines([takeRest(new Uint8Array())]);
      if ("refused" in entries || uids.size > 0) return entries;
      return refused("INVALID_REQUEST", "lines: must have at least one entry");
    },
  };
}

function decodedLine(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
