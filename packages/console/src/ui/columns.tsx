import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

/** A column whose text is the same on the screen and in a file. */
export function textColumn<T>(
  id: string,
  header: string,
  textOf: (row: T) => string,
  looks: Pick<Column<T>, "width"> = {},
): Column<T> {
  return { id, header, ...looks, cell: textOf, csv: textOf };
}

/** A column of amounts, without their currency. */
export function moneyColumn<T>(
  id: string,
  header: string,
  amountOf: (row: T) => string,
): Column<T> {
  return {
    id,
    header,
    align: "end",
    csv: amountOf,
    cell: (row) => <Money amount={amountOf(row)} />,
  };
}
