import { type ListOf, sourceOf } from "../../api/pages.ts";
import type { FilterValues } from "../../ui/filters.tsx";
import { endOf, startOf } from "../../ui/rules/times.ts";

/** The first and last day in the URL, both inclusive. */
type Days = {
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
};

const day = /^\d{4}-\d{2}-\d{2}$/;

/** Converts days of the person's time zone to list parameters. The end is exclusive. */
export function spanQuery<T extends Days>(search: T): T {
  const { created_from: from = "", created_to: to = "" } = search;
  return {
    ...search,
    ...(day.test(from) ? { created_from: startOf(from).toISOString() } : {}),
    ...(day.test(to) ? { created_to: endOf(to).toISOString() } : {}),
  };
}

/** Returns the list that the filters of a page select. */
export const listed =
  <T>(list: ListOf<T>) =>
  (search: FilterValues) =>
    sourceOf(list, spanQuery(search));
