import type { ListFile } from "./file-bytes.ts";

export function file(text: string, name = ""): ListFile {
  return { name, bytes: Buffer.from(text) };
}
