import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { didYouMean } from "@disburse/kernel/nearest.ts";
import { parseDocument } from "yaml";
import { z } from "zod";
import { usageError } from "../output/failure.ts";
import type { World } from "../table/world.ts";

/** Size limit for hand-written files, in bytes. Real files are far smaller. */
const bytesMax = 1_048_576;

export async function readText(world: Pick<World, "folder">, path: string): Promise<string> {
  return (await readUpTo(world, path, bytesMax)).toString("utf8");
}

/** Maximum size of a file that is sent in a request, in bytes. */
const contentMax = 3 * 2 ** 20;

/** Reads a file to send in a request. */
export function readBytes(world: Pick<World, "folder">, path: string): Promise<Buffer> {
  return readUpTo(world, path, contentMax);
}

async function readUpTo({ folder }: Pick<World, "folder">, path: string, max: number) {
  const whole = resolve(folder, path);
  const found = await stat(whole).catch(() => undefined);
  if (found?.isFile() !== true) throw usageError(`there is no file ${path}`);
  if (found.size > max) throw usageError(`${path} is larger than ${max / 2 ** 20} MiB`);
  return readFile(whole);
}

/** An amount, rate or share, kept as decimal text. */
export const decimalText = z
  .string({ error: "must be an amount" })
  .regex(/^\d{1,15}(?:\.\d{1,30})?$/, "must be digits, with a point: 0.30");

export const shortText = z.string({ error: "must be text" }).min(1, "must not be empty").max(255);

/** Accepts `yes`, `no`, `true` and `false`. */
export const yesOrNo = z
  .enum(["true", "false", "yes", "no"], { error: "must be true or false" })
  .transform((given) => given === "true" || given === "yes");

export const wholeNumber = z
  .string({ error: "must be a whole number" })
  .regex(/^\d{1,9}$/, "must be a whole number")
  .transform(Number);

/**
 * Parses YAML or JSON and validates it with a schema. Every value reaches the schema as its
 * original text, so amounts keep their digits. Throws a usage error for an unknown field and
 * suggests the nearest of `names`.
 */
export function readFields<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  names: readonly string[],
): z.output<Schema> {
  const document = parseDocument(text, { schema: "failsafe", uniqueKeys: true });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw usageError(`the file cannot be read: ${mistake.message}`);
  const { success, data, error } = schema.safeParse(plainValue(document));
  if (success) return data;
  throw usageError(error.issues.map((issue) => problemOf(issue, names)).join("; "));
}

/**
 * Converts a document to plain values. Limits YAML aliases, so that a small file can't expand to a
 * large value.
 */
function plainValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 10 }) ?? {};
  } catch (error) {
    throw usageError(`the file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function problemOf(issue: z.core.$ZodIssue, names: readonly string[]): string {
  const at = pathOf(issue.path);
  if (issue.code !== "unrecognized_keys") return `${at}: ${issue.message}`;
  const unknown = issue.keys.map((key) => `"${key}" is not a field${didYouMean(key, names)}`);
  return `${at}: ${unknown.join(", ")}`;
}

/** Returns a path such as `corridors[0].fee_flat`. */
function pathOf(path: readonly PropertyKey[]): string {
  const text = path.map((name) => (typeof name === "number" ? `[${name}]` : `.${String(name)}`));
  return text.join("").replace(/^\./, "") || "the file";
}
