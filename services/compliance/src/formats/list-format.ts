import type { ListEntry } from "../domain/list-entry.ts";
import { unpackedFiles } from "./file-bytes.ts";
import { readJsonLines } from "./json-lines.ts";
import { Unreadable } from "./unreadable.ts";

/** How a publisher writes its list. */
export const listFormats = ["json_lines", "ofac_csv", "un_xml", "eu_csv", "uk_csv"] as const;
export type ListFormat = (typeof listFormats)[number];

/**
 * A file of a list, as published or gzipped. `name` is "" for the only one; of `ofac_csv` it is
 * `primary`, `alternates`, `addresses` or `comments`.
 */
export type ListFile = { readonly name: string; readonly bytes: Uint8Array };

/** Every entry, or why the list is refused whole: with the line, or the publisher's id. */
export type ReadList = { readonly entries: ListEntry[] } | { readonly problem: string };

type Reader = (files: readonly ListFile[]) => ListEntry[];

const readers: Readonly<Partial<Record<ListFormat, Reader>>> = {
  json_lines: readJsonLines,
};

/**
 * Reads a list whole, or refuses it whole: nothing is left out in silence. Pure and synchronous; a
 * list takes up to a second, so it is for a worker thread. Never throws for what the bytes hold.
 */
export function readList(format: ListFormat, files: readonly ListFile[]): ReadList {
  try {
    const read = readers[format];
    if (read === undefined) return { problem: "format: is not read yet" };
    return { entries: read(unpackedFiles(files)) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}
