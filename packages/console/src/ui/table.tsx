import { type ColumnDef, tableFeatures, useTable } from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";

/** A column of a table and of its CSV file. */
export type Column<T> = {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Text in the CSV file; without it, the file omits the column. */
  readonly csv?: (row: T) => string;
  /** Aligns the column to the end, for amounts. */
  readonly align?: "end";
  /** Hides the column on narrow screens. */
  readonly width?: "wide";
};

const features = tableFeatures({});

/** A table that scrolls horizontally by itself, also with the keyboard. */
export function DataTable<T extends object>(props: {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}) {
  const { caption, columns, rows, keyOf } = props;
  const definitions = useMemo(
    () =>
      columns.map(({ id, header, cell }): ColumnDef<typeof features, T> => {
        return { id, header, cell: ({ row }) => cell(row.original) };
      }),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns: definitions, data, getRowId: keyOf });
  const layouts = new Map(columns.map(({ id, align, width }) => [id, { align, width }]));
  const attributes = (id: string) => {
    const { align, width } = layouts.get(id) ?? {};
    return { "data-align": align, "data-width": width };
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrolling area.
    <section className="table-frame" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
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
              {row.getAllCells().map((cell) => (
                <td key={cell.id} {...attributes(cell.column.id)}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
