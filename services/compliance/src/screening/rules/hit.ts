import type { Explanation } from "@disburse/name-matcher/alignment/explanation.ts";
import type { EntryType } from "@disburse/name-matcher/entry.ts";
import type { Reason } from "@disburse/name-matcher/evidence.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";

/** One reason for a score, readable by a compliance officer. */
export type ScreeningReason = Omit<Reason, "kind"> & {
  readonly kind: Reason["kind"] | "wallet";
};

export type ScreeningHit = Explanation & {
  readonly list: string;
  readonly listVersion: string;
  readonly entryUid: string;
  /** SHA-256 over what was compared of the entry, in hexadecimal. */
  readonly entryFingerprint: string;
  readonly entryType: EntryType;
  /** The publisher, where the list joins several; else "". */
  readonly source: string;
  readonly programs: readonly string[];
  /** Which party or wallet of the request, from 0: parties first. */
  readonly subjectIndex: number;
  /** Of the names alone, before the evidence. */
  readonly nameScore: number;
  readonly matchedName: string;
  readonly score: number;
  readonly verdict: Verdict;
  readonly reasons: readonly ScreeningReason[];
};

/** What a screening found, before it is stored. */
export type Finding = { readonly verdict: Verdict; readonly hits: readonly ScreeningHit[] };

/** More hits than a person reads; the verdict counts them all. */
export const hitsMax = 20;
