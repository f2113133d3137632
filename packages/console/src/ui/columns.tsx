import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

export function textColumn<T>(
  id: string,
  header: string,
  textOf: (row: T) => string,
  layout: Pick<Column<T>, "width"> = {},
): Column<T> {
  return { id, header, ...layout, cell: textOf, csv: textOf };
}

export function moneyColumn<T>(
  id: string,
  header: string,
  amountOf: (row: T) => string,
): Column<T> {
  return {
    id,
    header,
    align: "end",
    width: "first",
    csv: amountOf,
    cell: (row) => <Money amount={amountOf(row)} />,
  };
}
