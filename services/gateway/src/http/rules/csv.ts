import type { ExactJson, JsonObject } from "@disburse/kernel/exact-json.ts";
import { nearest } from "@disburse/kernel/nearest.ts";
import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { unknownField } from "@disburse/kernel/violations.ts";
import { CsvError, parse } from "csv-parse/sync";
import { readText } from "./request.ts";

/**
 * Describes a CSV body. `lines` is the JSON field that receives the rows. `columns` are the allowed
 * columns.
 */
export type CsvTable = {
  readonly lines: string;
  readonly columns: readonly string[];
  /** Columns whose cells are `true` or `false`. */
  readonly flags: readonly string[];
  /** Name of a JSON object with text values. Column `<name>.<key>` sets one of its keys. */
  readonly pairs: string;
};

/** Pattern of column names that error messages may repeat. */
const plainName = /^[\w-]{1,64}$/;

/**
 * Converts a CSV file to the equivalent JSON object. The file follows RFC 4180, with a header row,
 * commas and UTF-8. An empty cell counts as a field that was not sent.
 */
export function readCsvBody(
  bytes: Uint8Array,
  table: CsvTable,
): JsonObject | Refused<"INVALID_REQUEST"> {
  const text = readText(bytes);
  if (text === undefined) return invalidRequest([{ field: "body", problem: "must be UTF-8" }]);
  let rows: string[][];
  try {
    rows = parse(text, { skip_empty_lines: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const problem = `must be a CSV file (RFC 4180): ${error.code} at row ${Number(error.lines)}`;
    return invalidRequest([{ field: "body", problem }]);
  }
  const [header = [], ...cells] = rows;
  const names = header.map((name) => name.trim());
  const problems = headerProblems(names, table);
  if (problems.length > 0) return invalidRequest(problems);
  return { [table.lines]: cells.map((row) => lineOf(row, names, table)) };
}

/**
 * Converts a row to a JSON object. An invalid flag stays a text, and the form refuses it as it
 * would in JSON.
 */
function lineOf(row: readonly string[], names: readonly string[], table: CsvTable): JsonObject {
  const line: Record<string, ExactJson> = {};
  const pairs: Record<string, string> = {};
  for (const [at, cell] of row.entries()) {
    const name = names[at] ?? "";
    if (cell.trim() === "") continue;
    const key = keyOf(name, table);
    if (key !== undefined) pairs[key] = cell;
    else line[name] = table.flags.includes(name) ? (flags.get(cell.trim()) ?? cell) : cell;
  }
  return Object.keys(pairs).length === 0 ? line : { ...line, [table.pairs]: pairs };
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/**
 * Returns the key of a `pairs` column. The form refuses an invalid key and names its line, as it
 * would in JSON.
 */
function keyOf(name: string, { pairs }: CsvTable): string | undefined {
  const prefix = `${pairs}.`;
  const key = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return key === "" || key === "__proto__" ? undefined : key;
}

function headerProblems(names: readonly string[], table: CsvTable): Violation[] {
  const { columns } = table;
  if (names.length === 0) return [{ field: "body", problem: "must have a header row" }];
  return names.flatMap((name, at): Violation[] => {
    const field = plainName.test(name) ? name : `column_${at + 1}`;
    const isKnown = columns.includes(name) || keyOf(name, table) !== undefined;
    if (!isKnown) return [unknownField(field, nearest(name, columns))];
    return names.indexOf(name) < at ? [{ field, problem: "must not be repeated" }] : [];
  });
}
