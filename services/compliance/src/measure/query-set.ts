import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ListEntry } from "../domain/list-entry.ts";
import { readList } from "../formats/list-format.ts";
import { parseQuery, type Query } from "./query.ts";

/** What a person can set right: a file that is not there, a line that cannot be read. */
export class UnusableInput extends Error {}

/** Public lists and labelled queries that stand beside the project, where they are there at all. */
const folder = join(import.meta.dirname, "../../../../../shared/data/sanctions");
export const listFile = join(folder, "index_dev.jsonl.gz");
export const queryFile = join(folder, "dev.jsonl");

/** Whether the query set is on this machine; what needs it says that it skips. */
export const hasQuerySet = existsSync(queryFile) && existsSync(listFile);

/** The list of the query set, unpacked. */
export function querySetLines(): Buffer {
  return gunzipSync(readFileSync(listFile));
}

/** The entries of a list of JSON lines, as it is or gzipped, read as `ImportList` reads it. */
export function entriesOf(path: string): ListEntry[] {
  const list = readList("json_lines", [{ name: "", bytes: bytesOf(path) }]);
  if ("problem" in list) throw new UnusableInput(`${path}: ${list.problem}`);
  return list.entries;
}

/** Labelled queries, one JSON object a line. */
export function queriesOf(path: string): Query[] {
  const queries: Query[] = [];
  for (const [at, line] of bytesOf(path).toString("utf8").split("\n").entries()) {
    if (line.trim() === "") continue;
    const query = parseQuery(line);
    if ("problem" in query) throw new UnusableInput(`${path}: line ${at + 1}: ${query.problem}`);
    queries.push(query);
  }
  if (queries.length === 0) throw new UnusableInput(`${path}: has no query`);
  return queries;
}

function bytesOf(path: string): Buffer {
  if (!existsSync(path)) throw new UnusableInput(`${path}: is not there`);
  if (!statSync(path).isFile()) throw new UnusableInput(`${path}: is no file`);
  return readFileSync(path);
}
