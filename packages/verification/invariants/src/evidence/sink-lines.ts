import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SinkContents } from "./flaw.ts";

/**
 * Reads a sink: a folder, or a bucket, `s3://bucket/prefix`, where what was put before `from` is
 * left out. `undefined` for a folder that is not there.
 */
export async function readSink(
  place: string,
  from: Date,
  endpoint?: string,
): Promise<SinkContents | undefined> {
  if (!place.startsWith("s3://")) return readFolder(place);
  // Most sinks are folders, and can do without the SDK.
  const { readBucket } = await import("./bucket-lines.ts");
  return readBucket(new URL(place), from, endpoint);
}

/** Every line of every file. */
function readFolder(folder: string): SinkContents | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8"));
  return { lines: texts.flatMap(linesOf), flaws: [] };
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");
