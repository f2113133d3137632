import type { AchCredit, AchFile, AchProfile } from "./credit.ts";

/** A bank that requires no balancing entries. */
export const achProfile: AchProfile = {
  destination: { routing: "231380104", name: "Federal Reserve Bank" },
  origin: { id: "121042882", name: "Disburse Inc" },
  company: { name: "Disburse Inc", id: "1234567890", description: "PAYOUT" },
  odfi: "12104288",
  lineEnd: "\n",
  entriesMax: 10_000,
};

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A credit of USD 12.34 to a person; `changes` replace its parts. */
export function credit(number: number, changes: Partial<AchCredit> = {}): AchCredit {
  const tail = Array.from({ length: 6 }, (_, at) => alphabet.charAt((number >> (5 * at)) & 31));
  return {
    payoutId: `po_01kat3bzr0wm2nq5e7y8${tail.reverse().join("")}`,
    entryClass: "PPD",
    routing: "231380104",
    account: "987654321",
    accountType: "checking",
    cents: 1234n,
    name: "Jane Doe",
    effectiveOn: "2026-11-25",
    ...changes,
  };
}

/** The first file of a day, with these credits. */
export function achFile(credits: readonly AchCredit[], changes: Partial<AchFile> = {}): AchFile {
  return {
    createdOn: "2026-11-24",
    createdAt: "09:30",
    ordinal: 0,
    traceFrom: 1,
    credits,
    ...changes,
  };
}
