import { createHash } from "node:crypto";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { ListFile } from "../formats/file-bytes.ts";

/** More than all public lists together, unpacked; a larger file comes gzipped. */
export const fileBytesMax = 134_217_728;
/** As many as the format with the most files has, and some to spare. */
const filesMax = 8;
const nameText = /^[a-z0-9_.-]{0,64}$/;

/** Files of a list as they arrived, and what they are recognised by. */
export type ReceivedFiles = { readonly files: readonly ListFile[]; readonly checksum: string };

/** Where the next file begins, or bytes of the present one. */
export type FilePart = { readonly file: string } | { readonly bytes: Uint8Array };

/**
 * Takes the files of a list out of a stream, whose bytes may be cut anywhere. Bytes before any
 * file begins are of one without a name.
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
      return refused("INVALID_REQUEST", `files: must be at most ${fileBytesMax} bytes as sent`);
    }
    if (files.length === 0) files.push({ name: "", pieces: [] });
    files.at(-1)?.pieces.push(part.bytes);
  }
  // Nothing at all is an empty file, as a download can be, and it is for the format to refuse it.
  if (files.length === 0) files.push({ name: "", pieces: [] });
  return receivedFiles(files.map(({ name, pieces }) => ({ name, bytes: joinedBytes(pieces) })));
}

function nameProblem(name: string, files: readonly { name: string }[]): string | undefined {
  if (!nameText.test(name)) return "file.name: must be at most 64 of a-z, 0-9, `_`, `.`, `-`";
  if (files.some((other) => other.name === name)) return `file.name: ${name} stands twice`;
  return files.length === filesMax ? `files: must be at most ${filesMax}` : undefined;
}

/** Bytes of their own, not of a buffer that others use too: another thread takes them over. */
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
 * The checksum is that of the only file's bytes; with several, that of a line for each with its
 * name and its own checksum.
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
