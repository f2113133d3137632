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

/** The names of the supported formats. */
export const listFormats: readonly string[] = [...formats.keys()];

/**
 * The entries of a list, or the reason to refuse the whole list, with its line or entry. `notes`,
 * at most 100, report unreadable details that do not cause a refusal, such as a birth date in
 * words.
 */
export type ReadList =
  | {
      readonly entries: ListEntry[];
      readonly notes: readonly string[];
      /** Reasons to think that the files are incomplete; a person must accept them. */
      readonly gaps: readonly string[];
    }
  | { readonly problem: string };

/**
 * Reads a list in one of `listFormats`. It never omits an entry silently: if an entry is
 * unreadable, the whole list is refused. The function is synchronous and takes up to a second, so
 * run it in a worker thread. It never throws because of the content.
 */
export function readList(name: string, files: readonly ListFile[]): ReadList {
  const format = formats.get(name);
  if (format === undefined) throw new Error(`unknown list format ${name}`);
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
