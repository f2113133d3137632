import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { entryTypes, type NamedEntry, type NameKind } from "../entry.ts";
import type { Party } from "../matcher.ts";

/** A mistake in the input, such as a missing file or a line that cannot be parsed. */
export class UnusableInput extends Error {}

/** Public lists and labelled queries beside the project; they may be absent. */
const folder = join(import.meta.dirname, "../../../../../shared/data/sanctions");
/** The list that the queries search. */
export const listFile = join(folder, "index_dev.jsonl.gz");
/** The labelled queries for recall. */
export const queryFile = join(folder, "dev.jsonl");
/** Further query sets, used to count verdicts: names within longer names, and real names. */
export const verdictFiles = ["contain_dev.jsonl", "real_persons_dev.jsonl", "real_firms_dev.jsonl"]
  .map((name) => join(folder, name))
  .filter((path) => existsSync(path));

/** Tests that need the query set skip without it. */
export const hasQuerySet = existsSync(queryFile) && existsSync(listFile);

const text = z.string().min(1);
const date = z.string().regex(/^\d{4}(-\d{2}){0,2}$/);

const kinds: Readonly<Record<string, NameKind>> = {
  primary: "primary",
  weak: "weak",
  weak_alias: "weak",
};
const listedName = z
  .object({ name: text, kind: z.string().default("alias") })
  .transform(({ name, kind }) => ({ name: name.trim(), kind: kinds[kind] ?? "alias" }));
const listedEntry = z
  .object({
    uid: text,
    type: z.enum(entryTypes),
    names: z.array(listedName).min(1),
    dob: z.array(date).default([]),
    countries: z.array(z.string()).default([]),
    ids: z.array(z.object({ number: z.string(), country: z.string().nullish() })).default([]),
  })
  .transform(({ uid, type, names, dob: births, countries, ids }) => ({
    uid,
    type,
    births,
    countries,
    names: names.sort((a, b) => Number(b.kind === "primary") - Number(a.kind === "primary")),
    documents: ids.map(({ number, country }) => ({ number, country: country ?? "" })),
  }));

/** An entry with the id that queries expect. */
export type ListedEntry = NamedEntry & { readonly uid: string };

const queriedParty = z
  .object({
    name: z.string().optional(),
    first: z.string().optional(),
    last: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    type: text,
    dob: z.string().nullish(),
    country: z.string().nullish(),
  })
  .transform((query): Party => {
    const first = query.first ?? query.first_name ?? "";
    const last = query.last ?? query.last_name ?? "";
    return {
      type: /^(?:individual|person)$/i.test(query.type) ? "individual" : "entity",
      name: query.name ?? `${first} ${last}`.trim(),
      date: query.dob ?? "",
      countries: query.country ? [query.country] : [],
      documents: [],
    };
  })
  .refine(({ name }) => name !== "", { message: "has no name" });
const labelled = z
  .object({
    id: text,
    kind: text,
    query: queriedParty,
    expected: z.string().nullable(),
    accept: z.array(z.string()).default([]),
  })
  .transform(({ query: party, ...query }) => ({ ...query, party }));

/**
 * A labelled query. `expected` is the uid that must be found, or null if no entry must be found.
 * `accept` lists other uids of the same person or company. The `kind` of a negative query begins
 * with `neg_`.
 */
export type Query = z.infer<typeof labelled>;

/** Reads a list of JSON lines, plain or gzipped. The README describes the fields. */
export function entriesOf(path: string): ListedEntry[] {
  const bytes = bytesOf(path);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return linesOf(path, isPacked ? gunzipSync(bytes) : bytes, listedEntry);
}

/** Reads labelled queries, one JSON object per line. */
export function queriesOf(path: string): Query[] {
  const queries = linesOf(path, bytesOf(path), labelled);
  if (queries.length === 0) throw new UnusableInput(`${path}: has no query`);
  return queries;
}

function linesOf<T>(path: string, bytes: Buffer, form: z.ZodType<T>): T[] {
  const lines = bytes.toString("utf8").split("\n");
  return lines.flatMap((line, at) => {
    if (line.trim() === "") return [];
    const place = `${path}: line ${at + 1}`;
    try {
      const { data, error } = form.safeParse(JSON.parse(line));
      if (error === undefined) return [data];
      const [issue] = error.issues;
      throw new UnusableInput(`${place}: ${issue?.path.join(".")}: ${issue?.message}`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new UnusableInput(`${place}: is not JSON`, { cause: error });
    }
  });
}

function bytesOf(path: string): Buffer {
  if (!existsSync(path)) throw new UnusableInput(`${path}: is not there`);
  if (!statSync(path).isFile()) throw new UnusableInput(`${path}: is no file`);
  return readFileSync(path);
}
