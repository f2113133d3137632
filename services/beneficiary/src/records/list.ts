import { createdWithin, findCountedPage, type PageRequest } from "@disburse/chassis/paging/page.ts";
import type { Collection, Filter } from "mongodb";
import type { RecordDocument } from "./document.ts";

/** The fields of stored records that lists filter by. */
export type ListedField =
  | "archived"
  | "screening.status"
  | "kind"
  | "account_type"
  | "destination_currency"
  | "fields.depositor_type";

/** A value of such a field. */
export type ListedValue = string | boolean;

/**
 * What lists of a collection are narrowed by. A list that leaves a choice open reads the runs of
 * all its values side by side in one index, so no page and no count passes a record that it does
 * not show, whatever is combined. A field of many values, or one that a record may not have, stands
 * apart: lists that are narrowed by it have an index of their own.
 */
export type ListedBy = {
  readonly choices: Readonly<Partial<Record<ListedField, readonly ListedValue[]>>>;
  readonly apart: ListedField;
};

/** What a list is narrowed to; absent for any. */
export type RecordFilter = {
  readonly where: Readonly<Partial<Record<ListedField, ListedValue>>>;
  readonly createdFrom: Date | undefined;
  readonly createdTo: Date | undefined;
};

/** The names of the two indexes of a collection's lists; both end in the list's order. */
const indexName = "list";
const indexApartName = "list_apart";

/** One page of a merchant's records, newest first, and how many pass the filter. */
export function listRecords(
  records: Collection<RecordDocument>,
  listedBy: ListedBy,
  merchantId: string,
  filter: RecordFilter,
  request: PageRequest,
) {
  // Named, because a planner that saw few documents once may keep to a worse one.
  const hint = filter.where[listedBy.apart] === undefined ? indexName : indexApartName;
  return findCountedPage(records, documentFilter(listedBy, merchantId, filter), request, { hint });
}

function documentFilter(
  { choices }: ListedBy,
  merchantId: string,
  { where, createdFrom, createdTo }: RecordFilter,
): Filter<RecordDocument> {
  const any = Object.entries(choices).map(([field, values]) => [field, { $in: [...values] }]);
  return {
    merchant_id: merchantId,
    ...Object.fromEntries(any),
    ...where,
    ...createdWithin(createdFrom, createdTo),
  };
}
