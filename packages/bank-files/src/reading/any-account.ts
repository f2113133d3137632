import type { JudgingProfile } from "../matching/judge.ts";

/** Judges files of any account, by what the standards alone prove. */
export const anyAccount: JudgingProfile = {
  accounts: [],
  returnChargesMax: 0n,
  statusSettles: false,
  notExecutedCodes: new Set(),
  entriesSettle: true,
};
