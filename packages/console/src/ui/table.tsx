import { type ColumnDef, tableFeatures, useTable } from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";

/** A column of a table, and of the file that the table is exported to. */
export type Column<T> = {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Its text in a CSV file; a column without one is not in it. */
  readonly csv?: (row: T) => string;
  /** Amounts stand at the end. */
  readonly align?: "end";
  /** Not shown where the screen is narrow. */
  readonly width?: "wide";
};

const features = tableFeatures({});

/** A table. It scrolls by itself where it is wider than the screen, by keys too. */
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
  const looks = new Map(columns.map(({ id, align, width }) => [id, { align, width }]));
  const attributes = (id: string) => {
    const { align, width } = looks.get(id) ?? {};
    return { "data-align": align, "data-width": width };
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
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
