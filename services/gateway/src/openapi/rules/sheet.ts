import type { Violation } from "@disburse/kernel/refusal.ts";

/**
 * Describes a CSV body. `lines` is the JSON field that receives the rows. `columns` are the allowed
 * columns.
 */
export type CsvTable = {
  readonly lines: string;
  readonly columns: readonly string[];
  /** Columns whose cells are `true` or `false`. */
  readonly flags: readonly string[];
  /** Columns whose cells are amounts. */
  readonly amounts: readonly string[];
  /** Columns that the platform adds to files and ignores in uploads. */
  readonly notes: readonly string[];
  /** Name of a JSON object with text values. Column `<name>.<key>` sets one of its keys. */
  readonly pairs: string;
  /** Query parameters that set fields of the JSON object, because a row can't. */
  readonly parameters: readonly string[];
};

/** The rows of the lines, and the problems that only the file shows. */
export type Sheet = {
  /** The row of each line, as a spreadsheet counts it: the header is row 1. */
  readonly rows: readonly number[];
  readonly problems: readonly Violation[];
};

/** The query parameter that states the decimal separator of a file. */
export const decimalSeparator = { name: "decimal_separator", words: ["point", "comma"] } as const;
