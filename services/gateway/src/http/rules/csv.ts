import type { ExactJson, JsonObject } from "@disburse/kernel/exact-json.ts";
import { nearest } from "@disburse/kernel/nearest.ts";
import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { unknownField } from "@disburse/kernel/violations.ts";
import { CsvError, parse } from "csv-parse/sync";
import { type CsvTable, decimalSeparator, type Sheet } from "../../openapi/rules/sheet.ts";
import { readText } from "./request.ts";

/** The parsed query of an upload. Its parameters state what the bytes of a file don't. */
export type CsvQuery = Readonly<Record<string, unknown>>;

/** A file as the equivalent JSON object. */
export type ReadSheet = { readonly body: JsonObject; readonly sheet: Sheet };

/** Pattern of column names that error messages may repeat. */
const plainName = /^[\w-]{1,64}$/;
/** Spreadsheets write one of these, depending on their language. Column names contain none. */
const separators = [",", ";", "\t"] as const;
/** The first line of a file for Excel may name the separator. Excel doesn't count it as a row. */
const namedSeparator = /^sep=([,;\t])\r?\n/i;
const lineBreaks = ["\r\n", "\n", "\r"];

/** A spreadsheet writes its flags in capitals. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** The cells of a row, or `undefined` if its quotes are wrong. */
type Row = readonly string[] | undefined;

/**
 * Converts a CSV file to the equivalent JSON object. The file follows RFC 4180, with a header row
 * and commas, semicolons or tabs. An empty cell counts as a field that was not sent. Collects the
 * problems of all rows, so that the owning service reports them with its own.
 */
export function readCsvBody(
  bytes: Uint8Array,
  table: CsvTable,
  query: CsvQuery,
): ReadSheet | Refused<"INVALID_REQUEST"> {
  const text = readText(bytes);
  if (text === undefined) return invalidRequest([{ field: "body", problem: notText(bytes) }]);
  const [first = "", named] = namedSeparator.exec(text) ?? [];
  const csv = text.slice(first.length);
  const rows = rowsOf(csv, named ?? separatorOf(csv, table));
  const at = rows.findIndex((row) => row === undefined || !isBlank(row));
  const header = rows[at];
  if (header === undefined) {
    return invalidRequest([{ field: "body", problem: "must have a header row" }]);
  }
  const hasDecimalCommas = query[decimalSeparator.name] === "comma";
  const names = header.map((name) => name.trim());
  const columns = columnsOf(names, table);
  // Only the platform's own files escape formulas. Other texts stay as they are.
  const isOwn = names.some((name) => table.notes.includes(name));
  const problems = headerProblems(columns, at + 1);
  const lines: JsonObject[] = [];
  const numbers: number[] = [];
  for (const [below, row] of rows.slice(at + 1).entries()) {
    if (row !== undefined && isBlank(row)) continue;
    const place = `${table.lines}[${lines.length}]`;
    const read =
      row === undefined ? brokenLine : readLine(row, { columns, table, hasDecimalCommas, isOwn });
    for (const { field, problem } of read.problems) {
      problems.push({ field: field === "" ? place : `${place}.${field}`, problem });
    }
    lines.push(read.line);
    numbers.push(at + below + 2);
  }
  // The route refuses a malformed query.
  const ofFile = table.parameters.flatMap((name): [string, string | boolean][] => {
    const value = query[name];
    if (typeof value !== "string") return [];
    return [[name, table.flags.includes(name) ? (flags.get(value) ?? value) : value]];
  });
  const body = { ...Object.fromEntries(ofFile), [table.lines]: lines };
  return { body, sheet: { rows: numbers, problems } };
}

/** Describes the bytes that are not UTF-8, without repeating any. */
function notText(bytes: Uint8Array): string {
  const isWorkbook = bytes[0] === 0xd0 && bytes[1] === 0xcf;
  return isWorkbook
    ? "must be a CSV file: save the workbook as CSV UTF-8"
    : "must be UTF-8: save the file as CSV UTF-8";
}

const isBlank = (row: readonly string[]) => row.every((cell) => cell.trim() === "");

/** Returns the separator that splits the first line into the most known names. */
function separatorOf(csv: string, table: CsvTable): string {
  // Rows without values may come first.
  const [header = ""] = csv.replace(/^[,;\s"]+/, "").split(/[\r\n]/, 1);
  const knownIn = (separator: string) =>
    header
      .split(separator)
      .map((name) => name.replaceAll('"', "").trim())
      .filter((name) => isKnown(name, table)).length;
  return separators.toSorted((a, b) => knownIn(b) - knownIn(a))[0] ?? ",";
}

/**
 * Splits a file into the rows that a spreadsheet shows. If a quote in it is wrong, each line is a
 * row, so that a quote that is never closed doesn't hide the lines after it.
 */
function rowsOf(csv: string, delimiter: string): Row[] {
  const settings = { delimiter, record_delimiter: lineBreaks, relax_column_count: true };
  const parsed = (text: string): string[][] | undefined => {
    try {
      return parse(text, settings);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return undefined;
    }
  };
  const all = parsed(csv);
  if (all !== undefined) return all;
  return csv
    .split(/\r\n|\n|\r/)
    .map((line) => (line.includes('"') ? parsed(line)?.[0] : line.split(delimiter)));
}

/** A column of the file. `name` is absent if the header does not name a known column. */
type Column = {
  readonly name?: string;
  /** The problem of the column's header, if any. */
  readonly problem?: Violation;
  readonly isUnnamed?: true;
};

function columnsOf(names: readonly string[], table: CsvTable): Column[] {
  return names.map((name, place) => {
    if (name === "") return { isUnnamed: true };
    if (isKnown(name, table)) return { name };
    const field = plainName.test(name) ? name : `column_${place + 1}`;
    const meant = nearest(name, table.columns);
    const problem = unknownField(field, meant);
    // Reads the cells as those of the column that was probably meant, to report all mistakes.
    return meant === undefined || names.includes(meant) ? { problem } : { name: meant, problem };
  });
}

function isKnown(name: string, table: CsvTable): boolean {
  const isColumn = table.columns.includes(name) || table.notes.includes(name);
  return isColumn || keyOf(name, table) !== undefined;
}

/**
 * Returns the key of a `pairs` column. The form refuses an invalid key and names its line, as it
 * would in JSON.
 */
function keyOf(name: string, { pairs }: CsvTable): string | undefined {
  const prefix = `${pairs}.`;
  const key = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return key === "" || key === "__proto__" ? undefined : key;
}

function headerProblems(columns: readonly Column[], row: number): Violation[] {
  const lines = { numbers: [], rows: [row], count: 1, referenceId: "" };
  return columns.flatMap(({ name, problem }, at): Violation[] => {
    if (problem !== undefined) return [{ ...problem, lines }];
    const isRepeated =
      name !== undefined && columns.slice(0, at).some((each) => each.name === name);
    return isRepeated ? [{ field: name, problem: "must not be repeated", lines }] : [];
  });
}

type ReadLine = { readonly line: JsonObject; readonly problems: readonly Violation[] };

const brokenLine: ReadLine = {
  line: {},
  problems: [
    {
      field: "",
      problem: 'must have quotes only around a whole cell, and "" for a quote within it',
    },
  ],
};

type Reading = {
  readonly columns: readonly Column[];
  readonly table: CsvTable;
  readonly hasDecimalCommas: boolean;
  readonly isOwn: boolean;
};

/** Matches the escape of a text that a spreadsheet would run as a formula (`escape_formulas`). */
const escapedFormula = /^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/;

/**
 * Converts a row to a JSON object. An invalid flag stays a text, and the form refuses it as it
 * would in JSON.
 */
function readLine(row: readonly string[], reading: Reading): ReadLine {
  const { columns, table, isOwn } = reading;
  const line: Record<string, ExactJson> = {};
  const pairs: Record<string, string> = {};
  const problems = cellProblems(row, columns);
  for (const [at, sent] of row.entries()) {
    const { name } = columns[at] ?? {};
    const isIgnored = name === undefined || table.notes.includes(name);
    if (isIgnored || sent.trim() === "" || Object.hasOwn(line, name)) continue;
    const cell = isOwn ? sent.replace(escapedFormula, "") : sent;
    const key = keyOf(name, table);
    if (key === undefined) line[name] = cellValue(cell, name, reading, problems);
    else if (!Object.hasOwn(pairs, key)) pairs[key] = cell;
  }
  const isPaired = Object.keys(pairs).length > 0;
  return { line: isPaired ? { ...line, [table.pairs]: pairs } : line, problems };
}

/** Returns the problems of a row with too few cells, or with cells in columns without a name. */
function cellProblems(row: readonly string[], columns: readonly Column[]): Violation[] {
  const width = columns.findLastIndex(({ isUnnamed }) => !isUnnamed) + 1;
  const isShort = row.length < width;
  const short = isShort ? [{ field: "", problem: `has ${row.length} of ${width} cells` }] : [];
  const unnamed = row.findIndex((cell, at) => {
    const isUnnamed = at >= columns.length || columns[at]?.isUnnamed === true;
    return isUnnamed && cell.trim() !== "";
  });
  if (unnamed === -1) return short;
  const problem = `has a value in column ${unnamed + 1}, which has no name`;
  return [...short, { field: "", problem }];
}

function cellValue(
  cell: string,
  name: string,
  { table, hasDecimalCommas }: Reading,
  problems: Violation[],
): string | boolean {
  if (table.flags.includes(name)) return flags.get(cell.trim().toLowerCase()) ?? cell;
  if (!table.amounts.includes(name)) return cell;
  return amountOf(cell.trim(), name, hasDecimalCommas, problems);
}

/**
 * Returns an amount with a decimal point. Which separator a file has is never guessed, because
 * `1.234` and `1,234` each mean two amounts.
 */
function amountOf(
  cell: string,
  field: string,
  hasDecimalCommas: boolean,
  problems: Violation[],
): string {
  if (hasDecimalCommas && cell.includes(".")) {
    problems.push({ field, problem: "must have a decimal comma and no point" });
  } else if (!hasDecimalCommas && /^\d+,\d+$/.test(cell)) {
    const problem = "must have a decimal point, or send decimal_separator=comma with the file";
    problems.push({ field, problem });
  }
  return hasDecimalCommas ? cell.replace(",", ".") : cell;
}
