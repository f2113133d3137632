import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { stringify } from "yaml";
import { valueAt } from "./plain.ts";

/** A column of a table: the path of its value, and its title where the path does not say it. */
export type Column = string | readonly [path: string, title: string];

/** A terminal obeys what it is sent: names come from merchants and from publishers of lists. */
const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text as it may be sent to a terminal; line breaks stay where they are asked for. */
export function printable(text: string, keepsLines = false): string {
  return text.replace(unprintable, (letter) => (keepsLines && letter === "\n" ? "\n" : "\ufffd"));
}

/** JSON with two spaces, ended by a line break. */
export function jsonText(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A record for people: YAML, which is JSON with fewer marks. */
export function recordText(record: JsonValue): string {
  return printable(stringify(record, { lineWidth: 0 }), true);
}

const titleOf = (column: Column) =>
  typeof column === "string"
    ? (column.split(".").at(-1) ?? "").replaceAll("_", " ").toUpperCase()
    : column[1].toUpperCase();

const pathOf = (column: Column) => (typeof column === "string" ? column : column[0]);

/** Rows for people, in columns; `isBold` marks the titles. */
export function tableText(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  isBold = false,
): string {
  const titles = columns.map(titleOf);
  const cells = rows.map((row) => columns.map((column) => cellOf(valueAt(row, pathOf(column)))));
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

/** What stands in a cell; lists are joined, records are shown by themselves alone. */
function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === "") return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cellOf).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}
