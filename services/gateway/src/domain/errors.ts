import { type ErrorCode as Code, errorTable as table } from "@disburse/kernel/errors.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";

/** Every code that a merchant can read. */
export type ErrorCode = Code;

/** HTTP status and sentence of each code. */
export const errorTable: Readonly<
  Record<ErrorCode, { readonly status: number; readonly message: string }>
> = table;

/** Whether a service's refusal is one that the merchant may read. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** What goes on the wire for a refusal: its status, and exactly `{ code, message }`. */
export function wireError(refusal: Refused<ErrorCode>): {
  status: number;
  body: { code: ErrorCode; message: string };
} {
  const row = errorTable[refusal.refused];
  return {
    status: row.status,
    body: { code: refusal.refused, message: refusal.detail ?? row.message },
  };
}
