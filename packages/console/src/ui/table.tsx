import type { ReactNode } from "react";
import { useNarrow } from "./use-narrow.ts";

/** A column of a table and of its CSV file. */
export type Column<T> = {
  readonly id: string;
  readonly header: string;
  /** Without it, only the file has the column. */
  readonly cell?: (row: T) => ReactNode;
  /** Text in the CSV file; without it, the file omits the column. */
  readonly csv?: (row: T) => string;
  /** Reads the other records that `csv` needs. */
  readonly load?: () => Promise<unknown>;
  /** Aligns the column to the end, for amounts. */
  readonly align?: "end";
  /** On narrow screens, hides the column, or shows it before the others. */
  readonly width?: "wide" | "first";
};

/** On narrow screens, amounts come first and the time of creation last. */
const place = ({ id, width }: { readonly id: string; readonly width?: string }) =>
  width === "first" ? 0 : id === "created" ? 2 : 1;

/** The person's choices for a list. */
export type TableView = { readonly hidden?: readonly string[]; readonly isDense?: boolean };

/** A table that scrolls horizontally by itself, also with the keyboard. */
export function DataTable<T extends object>(props: {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  view?: TableView;
}) {
  const { caption, rows, keyOf, view: { hidden = [], isDense = false } = {} } = props;
  const isNarrow = useNarrow("telephone");
  const shown = props.columns.filter(({ id, cell }) => cell && !hidden.includes(id));
  const columns = isNarrow ? shown.toSorted((one, two) => place(one) - place(two)) : shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrolling area.
    <section className="table-frame" aria-label={caption} tabIndex={0}>
      <table data-density={isDense ? "dense" : undefined}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ id, header, align, width }) => (
              <th key={id} scope="col" data-align={align} data-width={width}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ id, cell, align, width }) => (
                <td key={id} data-align={align} data-width={width}>
                  {cell?.(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
