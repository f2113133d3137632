import { createHash } from "node:crypto";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import { worstVerdict } from "@disburse/name-matcher/verdict.ts";
import type { ScreeningHit } from "./hit.ts";

/** What stands among the hits without an entry of a list: a person decides it as any other. */
function pseudoHit(
  of: Pick<ScreeningHit, "subjectIndex" | "entryType" | "verdict">,
  what: Pick<ScreeningHit, "entryUid" | "entryFingerprint">,
  text: string,
): ScreeningHit {
  return {
    ...{ ...of, ...what, list: pseudoList, listVersion: "", source: "", programs: [] },
    ...{ matchedName: "", score: 0, nameScore: 0, parts: [], partyLeftOver: [] },
    ...{ entryLeftOver: [], reasons: [{ kind: "name", text, effect: 0 }] },
  };
}

/** No list is called so. */
export const pseudoList = "";

const nameProblems = {
  blank: "the name has no letter that can be compared",
  partial: "the name is too long or too strange to be compared whole",
} as const;

/** A name that cannot be compared, or not whole: a person has to read it. */
export function unreadableName(
  { type }: Party,
  problem: keyof typeof nameProblems,
  subjectIndex: number,
  who: string,
): ScreeningHit {
  const of = { subjectIndex, entryType: type, verdict: "review" } as const;
  const what = { entryUid: "unreadable-name", entryFingerprint: "" };
  return pseudoHit(of, what, who + nameProblems[problem]);
}

/**
 * Hits that are too many to be listed, as one for each party or wallet. What was decided about them
 * lapses when they become others.
 */
export function furtherHits(unlisted: readonly ScreeningHit[]): ScreeningHit[] {
  return [...Map.groupBy(unlisted, ({ subjectIndex }) => subjectIndex)].map(([at, hits]) => {
    const names = hits.map(({ list, entryUid, entryFingerprint }) =>
      JSON.stringify([list, entryUid, entryFingerprint]),
    );
    const entryFingerprint = createHash("sha256").update(names.sort().join("\n")).digest("hex");
    const verdict = worstVerdict(hits.map((hit) => hit.verdict));
    const of = { subjectIndex: at, entryType: hits[0]?.entryType ?? "individual", verdict };
    const text = `${hits.length} further entries are alike, too many to be listed`;
    return pseudoHit(of, { entryUid: "further-hits", entryFingerprint }, text);
  });
}
