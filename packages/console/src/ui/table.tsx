import {
  type ColumnDef,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
import { useNarrow } from "./use-narrow.ts";

/** A column of a table and of its CSV file. */
export type Column<T> = {
  readonly id: string;
  readonly header: string;
  /** Without it, only the file has the column. */
  readonly cell?: (row: T) => ReactNode;
  /** Text in the CSV file; without it, the file omits the column. */
  readonly csv?: (row: T) => string;
  /** Aligns the column to the end, for amounts. */
  readonly align?: "end";
  /** On narrow screens, hides the column, or shows it before the others. */
  readonly width?: "wide" | "first";
};

/** On narrow screens, amounts come first and the time of creation last. */
const place = ({ id, width }: { readonly id: string; readonly width?: string | undefined }) =>
  width === "first" ? 0 : id === "created" ? 2 : 1;

const features = tableFeatures({ columnVisibilityFeature });

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
  const columns = useMemo(() => props.columns.filter(({ cell }) => cell), [props.columns]);
  const isNarrow = useNarrow();
  const definitions = useMemo(
    () => columns.map(({ id, header }): ColumnDef<typeof features, T> => ({ id, header })),
    [columns],
  );
  const cells = new Map(columns.map(({ id, cell }) => [id, cell]));
  const data = useMemo(() => [...rows], [rows]);
  const columnVisibility = Object.fromEntries(hidden.map((id) => [id, false]));
  const state = { columnVisibility };
  const table = useTable({ features, columns: definitions, data, getRowId: keyOf, state });
  const layouts = new Map(columns.map(({ id, align, width }) => [id, { align, width }]));
  const placeOf = ({ column: { id } }: { column: { id: string } }) =>
    isNarrow ? place({ id, ...layouts.get(id) }) : 0;
  const attributes = (id: string) => {
    const { align, width } = layouts.get(id) ?? {};
    return { "data-align": align, "data-width": width };
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrolling area.
    <section className="table-frame" aria-label={caption} tabIndex={0}>
      <table data-density={isDense ? "dense" : undefined}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers
                .toSorted((one, two) => placeOf(one) - placeOf(two))
                .map((header) => (
                  <th key={header.id} scope="col" {...attributes(header.column.id)}>
                    <table.FlexRender header={header} />
                  </th>
                ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id}>
              {row
                .getVisibleCells()
                .toSorted((one, two) => placeOf(one) - placeOf(two))
                .map((cell) => (
                  <td key={cell.id} {...attributes(cell.column.id)}>
                    {/* Not as a component: a new function would lose the focus in the cell. */}
                    {cells.get(cell.column.id)?.(row.original)}
                  </td>
                ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
