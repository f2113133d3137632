import { stringify } from "csv-stringify/browser/esm/sync";
import type { Column } from "./table.tsx";

/** Saves rows as a CSV file. Escapes text that a spreadsheet would run as a formula. */
export function saveCsv<T>(name: string, columns: readonly Column<T>[], rows: readonly T[]): void {
  const written = columns.flatMap(({ header, csv }) =>
    csv === undefined ? [] : [{ header, csv }],
  );
  const text = stringify(
    rows.map((row) => written.map(({ csv }) => csv(row))),
    {
      header: true,
      columns: written.map(({ header }) => header),
      bom: true,
      escape_formulas: true,
    },
  );
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
