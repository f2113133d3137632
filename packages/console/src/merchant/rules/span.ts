import { dayAfter } from "../../ui/rules/times.ts";

/** Of a page's address: days, both inclusive. */
type Days = { readonly created_from?: string; readonly created_to?: string };

const day = /^\d{4}-\d{2}-\d{2}$/;

/** The query of a list: its days as moments in UTC, the last one exclusive. */
export function spanQuery<T extends Days>(search: T): T {
  const { created_from: from = "", created_to: to = "" } = search;
  return {
    ...search,
    ...(day.test(from) ? { created_from: `${from}T00:00:00Z` } : {}),
    ...(day.test(to) ? { created_to: `${dayAfter(to)}T00:00:00Z` } : {}),
  };
}
