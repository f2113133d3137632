import { CsvError, parse } from "csv-parse/sync";
import { fileText, type ListFile, Unreadable } from "./file-bytes.ts";

/** A record of a CSV file; `line` is the last one that it stands on. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

/** A cell that is not closed would swallow the file; the longest of 2026 has 20,000 characters. */
const recordLengthMax = 1_048_576;

/** The DOS end-of-file character, which OFAC's files still end with. */
const endOfFile = "\u001a";

/** Whether a file ends with the DOS end-of-file character: one that is cut does not. */
export function hasEndMark(file: ListFile): boolean {
  return fileText(file).trimEnd().endsWith(endOfFile);
}

/** Whether a file has nothing but blank lines and an end mark. */
export function isBlank(file: ListFile): boolean {
  return fileText(file).replaceAll(endOfFile, "").trim() === "";
}

/** All records of a file, empty lines left out. A broken quote refuses it with its line. */
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
    throw new Unreadable(`line ${line}: is not CSV: a broken quote, or a cell without end`, {
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
 * Rows under a header, whose columns may come in any order and any case, and with more than are
 * read. A column has to be there under one of its names; each row has as many cells as the header.
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
