import type { JudgingProfile } from "../matching/judge.ts";

/** Judges files of any account by the standards alone, without a bank's own codes. */
export const anyAccount: JudgingProfile = {
  accounts: [],
  returnChargesMax: 0n,
  statusSettles: false,
  notExecutedCodes: new Set(),
  entriesSettle: true,
};
