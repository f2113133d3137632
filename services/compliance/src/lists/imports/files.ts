import { createHash } from "node:crypto";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { ListFile } from "../formats/file-bytes.ts";

/**
 * The maximum size of a received file, more than all public lists together. A larger file must be
 * gzipped.
 */
export const fileBytesMax = 134_217_728;
/** The maximum number of files. No format needs more. */
const filesMax = 8;
const nameText = /^[a-z0-9_.-]{0,64}$/;

/** The received files of a list, and the checksum that identifies them. */
export type ReceivedFiles = { readonly files: readonly ListFile[]; readonly checksum: string };

/** Either the name of the next file, or bytes of the current file. */
export type FilePart = { readonly file: string } | { readonly bytes: Uint8Array };

/**
 * Collects the files of a list from a stream. Pieces may be cut at any byte. Bytes before the first
 * file name belong to an unnamed file.
 */
export async function collectFiles(
  parts: AsyncIterable<FilePart>,
): Promise<ReceivedFiles | Refused<"INVALID_REQUEST">> {
  const files: { name: string; pieces: Uint8Array[] }[] = [];
  let length = 0;
  for await (const part of parts) {
    if ("file" in part) {
      const wrong = nameProblem(part.file, files);
      if (wrong !== undefined) return refused("INVALID_REQUEST", wrong);
      files.push({ name: part.file, pieces: [] });
      continue;
    }
    length += part.bytes.length;
    if (length > fileBytesMax) {
      return refused(
        "INVALID_REQUEST",
        `files: must be at most ${fileBytesMax} bytes before they are unpacked`,
      );
    }
    if (files.length === 0) files.push({ name: "", pieces: [] });
    files.at(-1)?.pieces.push(part.bytes);
  }
  // An empty stream counts as one empty file, as from an empty download. The format then refuses
  // the file.
  if (files.length === 0) files.push({ name: "", pieces: [] });
  return receivedFiles(files.map(({ name, pieces }) => ({ name, bytes: joinedBytes(pieces) })));
}

function nameProblem(name: string, files: readonly { name: string }[]): string | undefined {
  if (!nameText.test(name)) return "file.name: must be at most 64 of a-z, 0-9, `_`, `.`, `-`";
  if (files.some((other) => other.name === name)) return `file.name: ${name} occurs twice`;
  return files.length === filesMax ? `files: must be at most ${filesMax}` : undefined;
}

/**
 * Copies the pieces into one buffer of their own, because buffers are transferred to another thread
 * as a whole.
 */
export function joinedBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * Computes the checksum of received files. A single file is hashed directly. Several files are
 * hashed as text with one line per file: its name and its checksum.
 */
export function receivedFiles(files: readonly ListFile[]): ReceivedFiles {
  const sums = files.map(({ name, bytes }) => ({ name, sum: sha256(bytes) }));
  const [only, ...more] = sums;
  const checksum =
    only !== undefined && more.length === 0
      ? only.sum
      : sha256(sums.map(({ name, sum }) => `${name} ${sum}\n`).join(""));
  return { files, checksum };
}

function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}
