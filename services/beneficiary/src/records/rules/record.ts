import type { Fields } from "./private-fields.ts";
import type { Screening } from "./screening.ts";

/** Of beneficiaries; depositors that are not the merchant's own business have them as types too. */
export const accountTypes = ["Individual", "Corporate"] as const;
export type AccountType = (typeof accountTypes)[number];

/** What beneficiaries and depositors have in common, readable without opening what is sealed. */
export type StoredRecord = {
  readonly id: string;
  readonly merchantId: string;
  /** The public body without its private fields; with those of a depositor that it may show. */
  readonly fields: Fields;
  readonly screening: Screening;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A record and the whole body that it was made of, before the private part is sealed. */
export type NewRecord = StoredRecord & { readonly whole: Fields };

/** What a record has before its body is looked at. */
export type Origin = {
  readonly id: string;
  readonly merchantId: string;
  readonly screening: Screening;
  readonly now: Date;
};

/** A new record of a body, none of it opened to readers yet. */
export function newRecord({ id, merchantId, screening, now }: Origin, whole: Fields): NewRecord {
  return { id, merchantId, fields: {}, screening, createdAt: now, updatedAt: now, whole };
}
