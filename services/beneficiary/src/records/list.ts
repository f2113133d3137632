import { createdWithin, findCountedPage, type PageRequest } from "@disburse/chassis/paging/page.ts";
import type { Collection, Filter } from "mongodb";
import type { RecordDocument } from "./document.ts";

export type ListedField =
  | "archived"
  | "screening.status"
  | "kind"
  | "account_type"
  | "destination_currency"
  | "fields.depositor_type";

export type ListedValue = string | boolean;

/**
 * The filterable fields of a collection, with their possible values. For a field without a filter,
 * the query names all values, so it can use the index. Neither a page nor a count then scans other
 * records, whatever the filters. The field `apart` has several values or is optional, so lists
 * filtered by it use a separate index.
 */
export type ListedBy = {
  readonly choices: Readonly<Partial<Record<ListedField, readonly ListedValue[]>>>;
  readonly apart: ListedField;
};

/** The filters of a list; an absent one matches any value. */
export type RecordFilter = {
  readonly where: Readonly<Partial<Record<ListedField, ListedValue>>>;
  readonly createdFrom: Date | undefined;
  readonly createdTo: Date | undefined;
  /** The entries of a search; a record must have one of each list. */
  readonly search?: readonly (readonly string[])[];
};

/** The list indexes. All end with the list's sort order. */
const indexName = "list";
const indexApartName = "list_apart";
const indexSearchName = "search";

/** Returns a page of a merchant's records, newest first, and the number that match the filter. */
export function listRecords(
  records: Collection<RecordDocument>,
  listedBy: ListedBy,
  merchantId: string,
  filter: RecordFilter,
  request: PageRequest,
) {
  // A hint for the index. The database may otherwise keep a worse plan from a time with few
  // documents.
  const isApart = filter.where[listedBy.apart] !== undefined;
  const isSearch = filter.search !== undefined && filter.search.length > 0;
  const hint = isSearch ? indexSearchName : isApart ? indexApartName : indexName;
  return findCountedPage(records, documentFilter(listedBy, merchantId, filter), request, { hint });
}

function documentFilter(
  { choices }: ListedBy,
  merchantId: string,
  { where, createdFrom, createdTo, search = [] }: RecordFilter,
): Filter<RecordDocument> {
  const any = Object.entries(choices).map(([field, values]) => [field, { $in: [...values] }]);
  return {
    merchant_id: merchantId,
    ...Object.fromEntries(any),
    ...where,
    ...createdWithin(createdFrom, createdTo),
    ...(search.length > 0 && {
      $and: search.map((entries) => ({ search: { $in: [...entries] } })),
    }),
  };
}
