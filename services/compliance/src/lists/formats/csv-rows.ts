import { CsvError, parse } from "csv-parse/sync";
import { fileText, type ListFile, Unreadable } from "./file-bytes.ts";

/** A record of a CSV file. A record may have several lines; `line` is the last. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

/**
 * The maximum length of a record. Without it, an unclosed quote would consume the rest of the file.
 * The longest cell of 2026 has 20,000 characters.
 */
const recordLengthMax = 1_048_576;

/** The DOS end-of-file character, which OFAC's files still end with. */
const endOfFile = "\u001a";

/** True if a file ends with the DOS end-of-file character. A truncated file does not. */
export function hasEndMark(file: ListFile): boolean {
  return fileText(file).trimEnd().endsWith(endOfFile);
}

/** True if a file contains only blank lines and the end mark. */
export function isBlank(file: ListFile): boolean {
  return fileText(file).replaceAll(endOfFile, "").trim() === "";
}

/**
 * Reads all records of a file except empty lines. A broken quote makes the file unreadable; the
 * problem includes the line.
 */
export function csvRows(file: ListFile, delimiter: "," | ";"): CsvRow[] {
  const whole = fileText(file).trimEnd();
  const text = whole.endsWith(endOfFile) ? whole.slice(0, -1) : whole;
  const rows: CsvRow[] = [];
  if (/^\s*[<{]/.test(text)) throw new Unreadable("line 1: is not CSV");
  try {
    parse(text, {
      delimiter,
      max_record_size: recordLengthMax,
      on_record: (cells: string[], { lines }) => {
        rows.push({ line: lines, cells });
        return null;
      },
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = (rows.at(-1)?.line ?? 0) + 1;
    throw new Unreadable(`line ${line}: is not CSV: a quote is misplaced or not closed`, {
      cause: error,
    });
  }
  return rows;
}

/** Rows by the names of their columns. */
export type CsvTable<Column extends string> = readonly {
  readonly line: number;
  readonly cell: (column: Column) => string;
}[];

/**
 * Reads rows under a header. The columns may have any order and case, and there may be additional
 * ones. Each required column must be present under one of its names, and each row must have as many
 * cells as the header.
 */
export function csvTable<Column extends string>(
  [header, ...rows]: readonly CsvRow[],
  columns: Readonly<Record<Column, readonly string[]>>,
): CsvTable<Column> {
  if (header === undefined) throw new Unreadable("line 1: must be a header");
  const headings = header.cells.map((heading) => heading.trim().toLowerCase());
  const places = new Map<string, number>();
  for (const [column, names] of Object.entries<readonly string[]>(columns)) {
    const known = names.map((name) => name.toLowerCase());
    const at = headings.findIndex((heading) => known.includes(heading));
    if (at < 0) throw new Unreadable(`line ${header.line}: lacks the column ${names[0]}`);
    places.set(column, at);
  }
  return rows.map(({ line, cells }) => {
    if (cells.length !== headings.length) {
      const counts = `${cells.length} columns, not ${headings.length}`;
      throw new Unreadable(`line ${line}: has ${counts}`);
    }
    return { line, cell: (column) => cells[places.get(column) ?? -1]?.trim() ?? "" };
  });
}
