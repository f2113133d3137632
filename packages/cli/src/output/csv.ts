import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { valueAt } from "./plain.ts";

/** A spreadsheet runs a cell that begins so as a formula (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/;

/** Rows as a CSV file with a head (RFC 4180); texts that a spreadsheet would run are escaped. */
export function csvText(rows: readonly JsonObject[], columns: readonly string[]): string {
  const lines = rows.map((row) => columns.map((column) => cellOf(valueAt(row, column))));
  return [columns, ...lines].map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return formula.test(text) ? `'${text}` : text;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
