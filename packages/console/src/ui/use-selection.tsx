import { useState } from "react";
import { t } from "../catalogue/texts.ts";
import type { Column } from "./table.tsx";

export type Selection<T> = {
  readonly selected: readonly T[];
  readonly all: () => void;
  readonly clear: () => void;
};

/**
 * Keeps the rows that a person has selected, and a column to select them. Rows that are no longer
 * shown are not selected.
 */
export function useSelection<T>(
  rows: readonly T[],
  { keyOf, nameOf }: { keyOf: (row: T) => string; nameOf: (row: T) => string },
) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const shown = new Set(rows.map(keyOf)).intersection(keys);
    setKeys(shown.symmetricDifference(new Set([key])));
  };
  const column: Column<T> = {
    id: "select",
    header: t.bulk.column,
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={t.bulk.select({ name: nameOf(row) })}
        checked={keys.has(keyOf(row))}
        onChange={() => toggle(keyOf(row))}
      />
    ),
  };
  const selection: Selection<T> = {
    selected: rows.filter((row) => keys.has(keyOf(row))),
    all: () => setKeys(new Set(rows.map(keyOf))),
    clear: () => setKeys(new Set()),
  };
  return { column, selection };
}
