import { StateBadge } from "./badge.tsx";
import { Age, Moment } from "./moment.tsx";
import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

type Layout<T> = Pick<Column<T>, "width" | "align" | "cell">;
type Read<T> = (row: T) => string;

/** A column with this text in its file, and by default in its cells. */
export function textColumn<T>(id: string, header: string, textOf: Read<T>, layout?: Layout<T>) {
  return { id, header, cell: textOf, csv: textOf, ...layout } satisfies Column<T>;
}

/** Long texts, which break anywhere. */
export function longColumn<T>(id: string, header: string, textOf: Read<T>, layout?: Layout<T>) {
  const cell = (row: T) => <span className="break">{textOf(row)}</span>;
  return textColumn(id, header, textOf, { cell, ...layout });
}

/** An amount, if the row has one, with its currency, if no other column has that. */
export function moneyColumn<T>(
  id: string,
  header: string,
  moneyOf: (row: T) => readonly [amount?: string | undefined, currency?: string | undefined],
  layout: Layout<T> = { width: "first" },
): Column<T> {
  const cell = (row: T) => {
    const [amount, currency] = moneyOf(row);
    return amount ? <Money {...{ amount, currency }} /> : "–";
  };
  return { id, header, align: "end", csv: (row) => moneyOf(row)[0] ?? "", cell, ...layout };
}

/** A number of something. */
export const countColumn = <T,>(
  id: string,
  header: string,
  countOf: (row: T) => number | bigint,
  layout?: Layout<T>,
) => textColumn(id, header, (row: T) => String(countOf(row)), { align: "end", ...layout });

/** The time since something, such as the beginning of a wait. */
export const ageColumn = <T,>(id: string, header: string, sinceOf: Read<T>, layout?: Layout<T>) =>
  textColumn(id, header, sinceOf, { cell: (row) => <Age since={sinceOf(row)} />, ...layout });

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

/** A number as text, such as a rate. */
export function numberColumn<T>(id: string, header: string, textOf: Read<T>, layout?: Layout<T>) {
  const cell = (row: T) => <span className="money">{textOf(row)}</span>;
  return textColumn(id, header, textOf, { cell, align: "end", ...layout });
}
