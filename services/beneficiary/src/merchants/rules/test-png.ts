import { crc32, deflateSync } from "node:zlib";

/** Builds a chunk of a PNG: length, type, data and checksum. */
export function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

type Made = { width?: number; height?: number; depth?: number; colour?: number };

export function header({ width = 2, height = 2, depth = 8, colour = 2 }: Made = {}): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = depth;
  data[9] = colour;
  return chunk("IHDR", data);
}

export const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A grey PNG, with chunks before its end. */
export function pngOf(made: Made = {}, extra: readonly Buffer[] = []): Buffer {
  const { width = 2, height = 2 } = made;
  const rows = Buffer.alloc(Math.min(height, 1_024) * (1 + 3 * Math.min(width, 1_024)), 0x80);
  for (let row = 0; row < Math.min(height, 1_024); row += 1) rows[row * (1 + 3 * width)] = 0;
  const parts = [signature, header(made), chunk("IDAT", deflateSync(rows)), ...extra];
  return Buffer.concat([...parts, chunk("IEND")]);
}
