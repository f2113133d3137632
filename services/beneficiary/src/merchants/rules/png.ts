import { crc32 } from "node:zlib";

/** The maximum size of a logo, so that a page loads it fast on a phone. */
const bytesMax = 65_536;
/** The maximum width and height. A browser decodes such an image into 4 MiB. */
const sideMax = 1_024;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length, type and checksum of a chunk. */
const chunkFrame = 12;
const headerLength = 13;
/** The bit depths of each colour type (ISO/IEC 15948, table 11.1). */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

export type Png = { readonly bytes: Buffer; readonly width: number; readonly height: number };

/**
 * Reads a PNG from base64. Returns the problem if it is none, or none within the limits. Every
 * chunk is read with its checksum, and nothing may follow the last one, so that the file is an
 * image and nothing else.
 */
export function readPng(base64: string): Png | string {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return "must be base64";
  if (bytes.length > bytesMax) return `must be at most ${bytesMax} bytes`;
  const chunks = chunksOf(bytes);
  if (chunks === undefined) return "must be a PNG";
  const [header] = chunks;
  if (header?.type !== "IHDR" || header.data.length !== headerLength) return "must be a PNG";
  if (!chunks.some(({ type }) => type === "IDAT")) return "must be a PNG";
  if (chunks.some(({ type }) => type === "acTL")) return "must not be animated";
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const isKnown = depths[header.data[9] ?? -1]?.includes(header.data[8] ?? 0) ?? false;
  const isSized = [width, height].every((side) => side >= 1 && side <= sideMax);
  if (!isKnown) return "must be a PNG";
  return isSized ? { bytes, width, height } : `must be at most ${sideMax} pixels wide and high`;
}

type Chunk = { readonly type: string; readonly data: Buffer };

/** Returns all chunks, or `undefined` if one is damaged or the last is not the end. */
function chunksOf(bytes: Buffer): readonly Chunk[] | undefined {
  if (!bytes.subarray(0, signature.length).equals(signature)) return undefined;
  const chunks: Chunk[] = [];
  let at = signature.length;
  while (at < bytes.length) {
    if (at + chunkFrame > bytes.length) return undefined;
    const end = at + chunkFrame + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined;
    const type = bytes.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4) });
    at = end;
    if (type === "IEND") return at === bytes.length ? chunks : undefined;
  }
  return undefined;
}
