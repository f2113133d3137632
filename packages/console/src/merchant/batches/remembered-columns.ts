import type { Remembered } from "./rules/columns.ts";

/** Local storage: a payroll comes once a month, so its columns outlive the session. */
const keyOf = (merchantId = "") => `disburse.columns:${merchantId}`;

export const rememberedColumns = (merchantId: string | undefined): Remembered =>
  JSON.parse(localStorage.getItem(keyOf(merchantId)) ?? "{}") as Remembered;

/** Remembers the columns of the merchant's latest file. */
export const rememberColumns = (merchantId: string | undefined, columns: Remembered): void =>
  localStorage.setItem(keyOf(merchantId), JSON.stringify(columns));
