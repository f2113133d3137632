import { readdirSync } from "node:fs";
import type { ListEntry } from "../rules/entry.ts";
import {
  type Format,
  type ListFile,
  noteCollector,
  Unreadable,
  unpackedFiles,
} from "./file-bytes.ts";

/** Each format is a file of this folder that exports `format`: `eu-csv.ts` is `eu_csv`. */
const formatFile = /^([a-z]+-(?:csv|json|lines|xml))\.ts$/;

const formats: ReadonlyMap<string, Format> = new Map(
  await Promise.all(
    readdirSync(import.meta.dirname).flatMap((file) => {
      const name = formatFile.exec(file)?.[1]?.replace("-", "_");
      return name === undefined ? [] : [loaded(name, file)];
    }),
  ),
);

async function loaded(name: string, file: string): Promise<readonly [string, Format]> {
  const module = (await import(/* @vite-ignore */ `./${file}`)) as { readonly format: Format };
  return [name, module.format];
}

const mebibyte = 1_048_576;

/** How publishers write their lists. */
export const listFormats: readonly string[] = [...formats.keys()];

/**
 * Every entry, with notes of what is no reason to refuse a list and yet could not be read (a birth
 * date in words), at most 100; or why the list is refused whole, with the line or the entry.
 */
export type ReadList =
  | {
      readonly entries: ListEntry[];
      readonly notes: readonly string[];
      /** Why the files look incomplete: a person has to accept them. */
      readonly gaps: readonly string[];
    }
  | { readonly problem: string };

/**
 * Reads a list of one of `listFormats` whole, or refuses it whole: nothing is left out in silence.
 * Pure and synchronous; a list takes up to a second, so it is for a worker thread. Never throws for
 * what the bytes hold.
 */
export function readList(name: string, files: readonly ListFile[]): ReadList {
  const format = formats.get(name);
  if (format === undefined) throw new Error(`${name} is no format of lists`);
  const { note, notes } = noteCollector();
  try {
    const unpacked = unpackedFiles(files, format.mebibytesMax * mebibyte);
    const entries = format.read(unpacked, note);
    return { entries, notes: notes(), gaps: format.gaps?.(unpacked) ?? [] };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}
