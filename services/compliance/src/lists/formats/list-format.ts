import type { ListEntry } from "../rules/entry.ts";
import { readEuCsv } from "./eu-csv.ts";
import {
  type ListFile,
  type Note,
  noteCollector,
  Unreadable,
  unpackedFiles,
} from "./file-bytes.ts";
import { readJsonLines } from "./json-lines.ts";
import { readOfacCsv } from "./ofac-csv.ts";
import { readUkCsv } from "./uk-csv.ts";
import { readUnXml } from "./un-xml.ts";

/** How a publisher writes its list. */
export const listFormats = ["json_lines", "ofac_csv", "un_xml", "eu_csv", "uk_csv"] as const;
/** See `listFormats`. */
export type ListFormat = (typeof listFormats)[number];

/**
 * Every entry, with notes of what is no reason to refuse a list and yet could not be read (a birth
 * date in words), at most 100; or why the list is refused whole, with the line or the entry.
 */
export type ReadList =
  | { readonly entries: ListEntry[]; readonly notes: readonly string[] }
  | { readonly problem: string };

type Format = {
  readonly read: (files: readonly ListFile[], note: Note) => ListEntry[];
  /** Unpacked, in all. Several times the largest list of 2026, and within a worker's memory. */
  readonly bytesMax: number;
};

const mebibyte = 1_048_576;

const formats: Readonly<Record<ListFormat, Format>> = {
  json_lines: { read: readJsonLines, bytesMax: 512 * mebibyte },
  ofac_csv: { read: readOfacCsv, bytesMax: 128 * mebibyte },
  un_xml: { read: readUnXml, bytesMax: 64 * mebibyte },
  eu_csv: { read: readEuCsv, bytesMax: 128 * mebibyte },
  uk_csv: { read: readUkCsv, bytesMax: 128 * mebibyte },
};

/**
 * Reads a list whole, or refuses it whole: nothing is left out in silence. Pure and synchronous; a
 * list takes up to a second, so it is for a worker thread. Never throws for what the bytes hold.
 */
export function readList(format: ListFormat, files: readonly ListFile[]): ReadList {
  const { note, notes } = noteCollector();
  const { read, bytesMax } = formats[format];
  try {
    return { entries: read(unpackedFiles(files, bytesMax), note), notes: notes() };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}
