import { gunzipSync } from "node:zlib";
import type { ListFile } from "./list-format.ts";
import { Unreadable } from "./unreadable.ts";

/** All public lists of the world together are some 100 MiB; a bomb is cut off here. */
const unpackedBytesMax = 512 * 1_048_576;

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The files with gzip taken off, however well a bomb is packed at most 512 MiB in all. */
export function unpackedFiles(files: readonly ListFile[]): ListFile[] {
  let left = unpackedBytesMax;
  return files.map(({ name, bytes }) => {
    const unpacked = isGzip(bytes) ? gunzipped(bytes, left) : bytes;
    left -= unpacked.length;
    if (left < 0) throw tooLarge();
    return { name, bytes: unpacked };
  });
}

function gunzipped(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(1, maxOutputLength) });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    if (code.startsWith("Z_")) throw new Unreadable("file: is not whole gzip", { cause: error });
    throw error;
  }
}

function tooLarge(): Unreadable {
  return new Unreadable(`file: is more than ${unpackedBytesMax} bytes unpacked`);
}
