import type { ListFile } from "./file-bytes.ts";

/** A list's file of a text, for tests. */
export function file(text: string, name = ""): ListFile {
  return { name, bytes: Buffer.from(text) };
}
