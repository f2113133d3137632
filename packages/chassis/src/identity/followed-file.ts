import { readFileSync } from "node:fs";

/** Answers whether a file has changed since the last look, after its text was taken. */
export function followFile(path: string | undefined, take: (text: string) => void): () => boolean {
  if (path === undefined || path === "") return () => false;
  let before = readFileSync(path, "utf8");
  return () => {
    const text = readFileSync(path, "utf8");
    if (text === before) return false;
    before = text;
    take(text);
    return true;
  };
}
