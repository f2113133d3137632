import type { Fields } from "./private-fields.ts";
import type { Screening } from "./screening.ts";

/** Types of beneficiaries, and of depositors other than the merchant's own business. */
export const accountTypes = ["Individual", "Corporate"] as const;
export type AccountType = (typeof accountTypes)[number];

/** The common part of beneficiaries and depositors that needs no decryption. */
export type StoredRecord = {
  readonly id: string;
  readonly merchantId: string;
  /** The public body without private fields, except those that a depositor may show. */
  readonly fields: Fields;
  readonly screening: Screening;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A record with its whole body, before the private fields are encrypted. */
export type NewRecord = StoredRecord & { readonly whole: Fields };

/** The parts of a record that don't depend on its body. */
export type Origin = {
  readonly id: string;
  readonly merchantId: string;
  readonly screening: Screening;
  readonly now: Date;
};

/** Leaves `fields` empty; the document to store is built from `whole`. */
export function newRecord({ id, merchantId, screening, now }: Origin, whole: Fields): NewRecord {
  return { id, merchantId, fields: {}, screening, createdAt: now, updatedAt: now, whole };
}
