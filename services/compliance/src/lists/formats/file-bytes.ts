import { isUtf8 } from "node:buffer";
import { gunzipSync } from "node:zlib";
import type { ListEntry } from "../rules/entry.ts";

/**
 * A file of a list, as published or gzipped. `name` is "" for a single file; for `ofac_csv` it is
 * `primary`, `alternates`, `addresses` or `comments`.
 */
export type ListFile = { readonly name: string; readonly bytes: Uint8Array };

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * Unpacks gzipped files. Their total size is limited to `bytesMax`, as a protection against gzip
 * bombs.
 */
export function unpackedFiles(files: readonly ListFile[], bytesMax: number): ListFile[] {
  let left = bytesMax;
  return files.map(({ name, bytes }) => {
    const place = name === "" ? "file" : name;
    const unpacked = isGzip(bytes) ? atPlace(place, () => gunzipped(bytes, left)) : bytes;
    if (unpacked === undefined || unpacked.length > left) {
      throw new Unreadable(`files: must have at most ${bytesMax} bytes together, unpacked`);
    }
    left -= unpacked.length;
    return { name, bytes: unpacked };
  });
}

function gunzipped(bytes: Uint8Array, bytesMax: number): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(1, bytesMax) });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "ERR_BUFFER_TOO_LARGE") return undefined;
    if (code.startsWith("Z_"))
      throw new Unreadable("is an incomplete or damaged gzip file", { cause: error });
    throw error;
  }
}

/** Returns the only file, for formats that have one. */
export function onlyFile([file, ...more]: readonly ListFile[]): ListFile {
  if (file === undefined || more.length > 0)
    throw new Unreadable("files: must be exactly one file");
  return file;
}

const newline = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Decodes a whole file and removes the byte order mark. Accepts only UTF-8, because names in
 * another encoding would be misread and never found.
 */
export function fileText({ bytes }: ListFile): string {
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw new Unreadable(`line ${lineAt(bytes, nul)}: has a NUL byte`);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(buffer)) throw new Unreadable(`line ${firstWrongLine(buffer)}: is not UTF-8`);
  const start = buffer.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? 3 : 0;
  return buffer.toString("utf8", start);
}

function lineAt(bytes: Uint8Array, place: number): number {
  let line = 1;
  for (let at = bytes.indexOf(newline); at >= 0 && at < place; at = bytes.indexOf(newline, at + 1))
    line += 1;
  return line;
}

function firstWrongLine(bytes: Buffer): number {
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
    line += 1;
  }
  return line;
}

/**
 * A problem that makes a list unreadable, with its line or entry, for the operator. Thrown only
 * within this folder. `readList` and `parseListLine` convert it to a result.
 */
export class Unreadable extends Error {}

/** Runs `read` and adds the place to an `Unreadable` that it throws. */
export function atPlace<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable)
      throw new Unreadable(`${place}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Records an unreadable detail that does not cause a refusal. */
export type Note = (text: string) => void;

/** The maximum number of notes. A list in another format would cause thousands. */
const notesMax = 100;

/** Collects up to `notesMax` notes. */
export function noteCollector(): { readonly note: Note; readonly notes: () => readonly string[] } {
  const kept: string[] = [];
  let count = 0;
  return {
    note: (text) => {
      count += 1;
      if (kept.length < notesMax - 1) kept.push(text);
    },
    notes: () => (count > kept.length ? [...kept, `and ${count - kept.length} more`] : kept),
  };
}

/**
 * A publisher's format. Its name is that of the file that exports it as `format`
 * (`list-format.ts`).
 */
export type Format = {
  readonly read: (files: readonly ListFile[], note: Note) => ListEntry[];
  /** Returns reasons to think that readable files are incomplete. */
  readonly gaps?: (files: readonly ListFile[]) => string[];
  /**
   * The maximum total size of the unpacked files. It is several times that of the largest list of
   * 2026, and fits into a worker's memory.
   */
  readonly mebibytesMax: number;
};
