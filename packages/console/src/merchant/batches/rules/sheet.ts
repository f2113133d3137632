import { CsvError, parse } from "csv-parse/browser/esm/sync";

/** A row with its number in the file, as a spreadsheet counts it: the header is row 1. */
export type Row = { readonly id: number; readonly cells: readonly string[] };

export type Sheet = { readonly header: readonly string[]; readonly rows: readonly Row[] };

/** A problem of the file, or of one of its rows. */
export type SheetProblem =
  | { readonly problem: "tooLarge" | "notText" | "noRows" | "tooManyRows" }
  | { readonly problem: "quotes" | "cells"; readonly row: number };

/** Limits of Create batch. */
const bytesMax = 8 * 1024 * 1024;
const rowsMax = 10_000;

const separators = [",", ";", "\t"] as const;
/** The first line of a file for Excel may name the separator. Excel doesn't count it as a row. */
const namedSeparator = /^sep=([,;\t])\r?\n/i;

/** A column of the platform's files of failed lines. Only these files escape formulas. */
export const reasonColumn = "failure_message";
const escapedFormula = /^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/;

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === "");

/** Reads a CSV file with a header row. Skips empty rows. */
export function readSheet(bytes: Uint8Array): Sheet | SheetProblem {
  if (bytes.length > bytesMax) return { problem: "tooLarge" };
  const text = textOf(bytes);
  if (text === undefined) return { problem: "notText" };
  const [first = "", named] = namedSeparator.exec(text) ?? [];
  const csv = text.slice(first.length);
  const records = recordsOf(csv, named ?? separatorOf(csv));
  if (!Array.isArray(records)) return records;
  const all = records.map((cells, at): Row => ({ id: at + 1, cells }));
  const [head, ...rows] = all.filter(({ cells }) => !isBlank(cells));
  if (head === undefined || rows.length === 0) return { problem: "noRows" };
  if (rows.length > rowsMax) return { problem: "tooManyRows" };
  const header = head.cells.map((name) => name.trim());
  const width = header.findLastIndex((name) => name !== "") + 1;
  // A separator within a cell without quotes moves the cells after it, such as an amount's decimals.
  const wrong = rows.find(({ cells }) => cells.length < width || !isBlank(cells.slice(width)));
  if (wrong !== undefined) return { problem: "cells", row: wrong.id };
  if (!header.includes(reasonColumn)) return { header, rows };
  const plain = ({ id, cells }: Row): Row => {
    return { id, cells: cells.map((cell) => cell.replace(escapedFormula, "")) };
  };
  return { header, rows: rows.map(plain) };
}

/** Returns the text without a byte order mark; undefined if the bytes are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // UTF-16 without a mark is mostly valid UTF-8.
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** Returns the separator that splits the header into the most names. */
function separatorOf(csv: string): string {
  const [header = ""] = csv.trimStart().split(/[\r\n]/, 1);
  const bare = header.replace(/"[^"]*"/g, "");
  const countOf = (separator: string) => bare.split(separator).length;
  return separators.toSorted((one, two) => countOf(two) - countOf(one))[0] ?? ",";
}

function recordsOf(csv: string, delimiter: string): string[][] | SheetProblem {
  try {
    const record_delimiter = ["\r\n", "\n", "\r"];
    return parse(csv, { delimiter, record_delimiter, relax_column_count: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { problem: "quotes", row: Number(error["lines"] ?? 0) };
  }
}
