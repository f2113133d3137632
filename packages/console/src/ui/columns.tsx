import { Moment } from "./moment.tsx";
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

export function momentColumn<T>(
  id: string,
  header: string,
  atOf: (row: T) => string,
  layout: Pick<Column<T>, "width"> = {},
): Column<T> {
  return { id, header, ...layout, cell: (row) => <Moment at={atOf(row)} />, csv: atOf };
}

/** A column of ids or other codes. */
export function codeColumn<T>(
  id: string,
  header: string,
  textOf: (row: T) => string,
  layout: Pick<Column<T>, "width"> = {},
): Column<T> {
  const cell = (row: T) => <span className="mono break">{textOf(row)}</span>;
  return { id, header, ...layout, cell, csv: textOf };
}
