import { isObject } from "./exact-json.ts";

/** A field of a record; dots separate nested names: `amount.source_amount`. */
export type Column<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? { [K in keyof T & string]-?: ColumnIn<K, NonNullable<T[K]>> }[keyof T & string]
    : never;

type ColumnIn<K extends string, V> = V extends readonly unknown[]
  ? K
  : V extends object
    ? `${K}.${Column<V>}`
    : K;

/**
 * Formats a list as CSV (RFC 4180), starting with a header row. Rows are produced as pages arrive:
 * `await writeFile("payouts.csv", csvOf(disburse.payouts.list(), ["id", "status"]))`.
 *
 * Amounts keep every digit. A missing field is empty; a list within a record is JSON. Text that a
 * spreadsheet would run as a formula gets a leading `'`; numbers never do.
 *
 * @throws {TypeError} if `columns` is empty.
 */
export async function* csvOf<T extends object>(
  records: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
): AsyncGenerator<string, void, undefined> {
  if (columns.length === 0) throw new TypeError("columns must not be empty");
  yield row(columns);
  for await (const record of records) yield row(columns.map((column) => valueAt(record, column)));
}

/** Tries the complete name first, because a merchant's own keys may contain dots. */
function valueAt(record: unknown, path: string): unknown {
  if (!isObject(record)) return undefined;
  if (Object.hasOwn(record, path)) return record[path];
  const dot = path.indexOf(".");
  const head = path.slice(0, dot);
  if (dot === -1 || !Object.hasOwn(record, head)) return undefined;
  return valueAt(record[head], path.slice(dot + 1));
}

function row(values: readonly unknown[]): string {
  return `${values.map(cell).join(",")}\r\n`;
}

/** First characters that make a spreadsheet run a cell as a formula (OWASP, "CSV Injection"). */
const formula = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const decimal = /^-?\d+(\.\d+)?$/;

function cell(value: unknown): string {
  const text = textOf(value);
  const safe = formula.test(text) && !decimal.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
