import type { JudgingProfile } from "../matching/judge.ts";

/** A profile for any account. It uses only the standards' codes, not a bank's own codes. */
export const anyAccount: JudgingProfile = {
  accounts: [],
  returnChargesMax: 0n,
  statusSettles: false,
  notExecutedCodes: new Set(),
  entriesSettle: true,
};
