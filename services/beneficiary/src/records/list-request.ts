import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type EnumName, enumName } from "@disburse/chassis/enum-names.ts";
import { invalidRequest, type Refused } from "@disburse/kernel/refusal.ts";
import type { ListedField, ListedValue, RecordFilter } from "./list.ts";
import { type AccountType, accountTypes } from "./rules/record.ts";

/** A filter value; `null` means any. */
export type Wanted<Value> = Value | null;

/** Returns a filter's enum name, or `undefined` for an unknown value. */
export function wantedWord<E extends Readonly<Record<string, number>>>(
  enumeration: E,
  value: number,
): Wanted<EnumName<E>> | undefined {
  return value === 0 ? null : enumName(enumeration, value);
}

/** Returns a party's type, or `undefined` for an unknown name. */
export function partyType(sent: string): Wanted<AccountType> | undefined {
  return sent === "" ? null : accountTypes.find((type) => type === sent);
}

/** The filter's name in the request, its field in the documents and its value. */
type WantedField = readonly [string, ListedField, Wanted<ListedValue> | undefined];

/** Refuses an unknown filter value, because ignoring it would widen the list. */
export function readFilter(
  request: { createdFrom?: Timestamp | undefined; createdTo?: Timestamp | undefined },
  fields: readonly WantedField[],
): RecordFilter | Refused<"INVALID_REQUEST"> {
  const createdFrom = request.createdFrom && timestampDate(request.createdFrom);
  const createdTo = request.createdTo && timestampDate(request.createdTo);
  const times = Object.entries({ created_from: createdFrom, created_to: createdTo });
  const violations = [
    ...fields
      .filter(([, , value]) => value === undefined)
      .map(([field]) => ({ field, problem: "must be one of the defined values" })),
    ...times
      .filter(([, time]) => time !== undefined && Number.isNaN(time.getTime()))
      .map(([field]) => ({ field, problem: "must be a time" })),
  ];
  if (violations.length > 0) return invalidRequest(violations);
  const narrowing = fields.filter(([, , value]) => value !== null);
  const where = Object.fromEntries(narrowing.map(([, field, value]) => [field, value]));
  return { where, createdFrom, createdTo };
}
