import { StateBadge } from "./badge.tsx";
import { Moment } from "./moment.tsx";
import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

type Layout<T> = Pick<Column<T>, "width" | "align" | "cell">;
type Read<T> = (row: T) => string;

/** A column with this text in its file, and by default in its cells. */
export function textColumn<T>(id: string, header: string, textOf: Read<T>, layout?: Layout<T>) {
  return { id, header, cell: textOf, csv: textOf, ...layout } satisfies Column<T>;
}

/** An amount, in the row's currency if `currencyOf` is given. */
export function moneyColumn<T>(
  id: string,
  header: string,
  amountOf: Read<T>,
  currencyOf?: Read<T>,
): Column<T> {
  const cell = (row: T) => {
    const amount = amountOf(row);
    if (amount === "") return null;
    return <Money amount={amount} {...(currencyOf && { currency: currencyOf(row) })} />;
  };
  return { id, header, align: "end", width: "first", csv: amountOf, cell };
}

/** A time, or nothing for a row without one. */
export function momentColumn<T>(id: string, header: string, atOf: Read<T>, layout?: Layout<T>) {
  const cell = (row: T) => (atOf(row) === "" ? null : <Moment at={atOf(row)} />);
  return textColumn(id, header, atOf, { cell, ...layout });
}

/** Ids or other codes. */
export function codeColumn<T>(id: string, header: string, textOf: Read<T>, layout?: Layout<T>) {
  const cell = (row: T) => <span className="mono break">{textOf(row)}</span>;
  return textColumn(id, header, textOf, { cell, ...layout });
}

/** A state, by its name in the API and its label. */
export function stateColumn<T>(
  header: string,
  stateOf: Read<T>,
  words: Readonly<Record<string, string>>,
) {
  const cell = (row: T) => <StateBadge state={stateOf(row)} words={words} />;
  return textColumn("state", header, stateOf, { cell });
}
