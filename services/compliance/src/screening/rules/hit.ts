import { createHash } from "node:crypto";
import type { EntryType } from "@disburse/name-matcher/entry.ts";
import type { Reason } from "@disburse/name-matcher/evidence.ts";
import type { Explanation } from "@disburse/name-matcher/explanation.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import { type Verdict, worstVerdict } from "@disburse/name-matcher/verdict.ts";

/** A reason for a score, for a compliance officer to read. */
export type ScreeningReason = Omit<Reason, "kind"> & {
  readonly kind: Reason["kind"] | "wallet" | "bank";
};

/**
 * A possible match of a party or wallet with a list entry. Some hits have no list entry, such as an
 * unreadable name.
 */
export type ScreeningHit = Explanation & {
  readonly list: string;
  readonly listVersion: string;
  readonly entryUid: string;
  /** SHA-256 over the compared data of the entry, in hexadecimal. */
  readonly entryFingerprint: string;
  readonly entryType: EntryType;
  /** The publisher, if the list combines several publishers. Otherwise "". */
  readonly source: string;
  readonly programs: readonly string[];
  /**
   * The position of the hit's party, wallet or bank in the request. Parties come first, then
   * wallets, then banks, counted from 0.
   */
  readonly subjectIndex: number;
  /** The score of the names alone, before the evidence. */
  readonly nameScore: number;
  readonly matchedName: string;
  readonly score: number;
  readonly verdict: Verdict;
  readonly reasons: readonly ScreeningReason[];
};

/** The result of a screening before it is stored. */
export type Finding = { readonly verdict: Verdict; readonly hits: readonly ScreeningHit[] };

/** The maximum listed hits. A person reads no more, but the verdict counts all hits. */
export const hitsMax = 20;

/** Builds a hit without a list entry. An officer decides it like any other hit. */
export function hitWithoutEntry(
  of: Pick<ScreeningHit, "subjectIndex" | "entryType" | "verdict">,
  what: Pick<ScreeningHit, "entryUid" | "entryFingerprint">,
  { kind = "name", text }: Partial<ScreeningReason> & Pick<ScreeningReason, "text">,
): ScreeningHit {
  return {
    ...of,
    ...what,
    list: noList,
    listVersion: "",
    source: "",
    programs: [],
    matchedName: "",
    score: 0,
    nameScore: 0,
    parts: [],
    partyLeftOver: [],
    entryLeftOver: [],
    reasons: [{ kind, text, effect: 0 }],
  };
}

/** The list name of hits without a list entry. No real list has this name. */
export const noList = "";

const nameProblems = {
  blank: "the name has no letters that screening can compare",
  partial: "the name is too long, or has too many variants, to be compared completely",
} as const;

/** Builds the hit for a name that cannot be compared completely. A person must read it. */
export function unreadableName(
  { type }: Party,
  problem: keyof typeof nameProblems,
  subjectIndex: number,
  who: string,
): ScreeningHit {
  const of = { subjectIndex, entryType: type, verdict: "review" } as const;
  const what = { entryUid: "unreadable-name", entryFingerprint: "" };
  return hitWithoutEntry(of, what, { text: who + nameProblems[problem] });
}

/** Adds a hit for a party that a sandbox merchant listed itself. */
export function withOwnListing(
  { verdict, hits }: Finding,
  entryType: EntryType,
  listed: Exclude<Verdict, "clear">,
): Finding {
  const of = { subjectIndex: 0, entryType, verdict: listed };
  const what = { entryUid: "own-listing", entryFingerprint: listed };
  const text = "the merchant put this party on its own list in this sandbox";
  const hit = hitWithoutEntry(of, what, { text });
  return { verdict: worstVerdict([verdict, listed]), hits: [hit, ...hits] };
}

/**
 * Combines hits beyond the limit into one hit for each party or wallet. When the combined hits
 * change, an earlier decision no longer applies.
 */
export function overflowHits(unlisted: readonly ScreeningHit[]): ScreeningHit[] {
  return [...Map.groupBy(unlisted, ({ subjectIndex }) => subjectIndex)].map(([at, hits]) => {
    const names = hits.map(({ list, entryUid, entryFingerprint }) =>
      JSON.stringify([list, entryUid, entryFingerprint]),
    );
    const entryFingerprint = createHash("sha256").update(names.sort().join("\n")).digest("hex");
    const verdict = worstVerdict(hits.map((hit) => hit.verdict));
    const of = { subjectIndex: at, entryType: hits[0]?.entryType ?? "individual", verdict };
    const text = `${hits.length} further similar entries are not listed one by one`;
    return hitWithoutEntry(of, { entryUid: "further-hits", entryFingerprint }, { text });
  });
}
