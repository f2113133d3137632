import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Column, columnPath, columnTitle } from "@disburse/commands/table/command.ts";
import { valueAt } from "@disburse/commands/table/plain.ts";
import { stringify } from "yaml";

/**
 * Control characters and text direction characters. Names come from merchants and list publishers,
 * and a terminal would execute control sequences in a name.
 */
const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces control characters; keeps line breaks if `keepsLines` is set. */
export function printable(text: string, keepsLines = false): string {
  return text.replace(unprintable, (character) =>
    keepsLines && character === "\n" ? "\n" : "\ufffd",
  );
}

export function jsonText(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Formats a record for people, as YAML. */
export function recordText(record: JsonValue): string {
  return printable(stringify(record, { lineWidth: 0 }), true);
}

/** Formats rows as a table for people; `isBold` sets the titles in bold. */
export function tableText(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  isBold = false,
): string {
  const titles = columns.map((column) => columnTitle(column).toUpperCase());
  const cells = rows.map((row) =>
    columns.map((column) => cellOf(valueAt(row, columnPath(column)))),
  );
  const widths = columns.map((_column, at) =>
    Math.max(...[titles, ...cells].map((line) => lengthOf(line[at] ?? ""))),
  );
  const lineOf = (line: readonly string[]) =>
    line
      .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - lengthOf(cell)))
      .join("  ")
      .trimEnd();
  const head = lineOf(titles);
  const lines = [isBold ? `\u001b[1m${head}\u001b[22m` : head, ...cells.map(lineOf)];
  return `${lines.join("\n")}\n`;
}

const lengthOf = (text: string) => Array.from(text).length;

/** Formats a cell: lists are joined by commas, objects are JSON, empty values are "-". */
function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === "") return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cellOf).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}
