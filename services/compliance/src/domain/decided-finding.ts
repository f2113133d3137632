import type { Finding, ScreeningHit, ScreeningRequest } from "./screening.ts";
import { hitsMax, verdictOfName } from "./screening.ts";
import { type Verdict, worstVerdict } from "./verdict.ts";

/** What a person said of a hit: nothing yet, that it is somebody else, or that it is the one. */
export type HitWord = "undecided" | "false_positive" | "true_match";

/** What people decided about the hits of one subject. */
export type Decisions = {
  /** One for each hit, in the order of the hits. */
  readonly ofHits: readonly { readonly alertId: string; readonly word: HitWord }[];
  /**
   * Whether a confirmed true match stands that the matcher does not find any more although neither
   * party nor entry is known to have changed: its numbers did.
   */
  readonly stands: boolean;
};

/** A hit with what a person decided about it. */
export type DecidedHit = ScreeningHit & {
  /** Of a monitored subject; else "". */
  readonly alertId: string;
  /** It does not count for the verdict. */
  readonly dismissed: boolean;
};

/** A finding after what people decided. */
export type DecidedFinding = { readonly verdict: Verdict; readonly hits: readonly DecidedHit[] };

/** Of a subject that nobody decides about: one that is not monitored. */
export function undecided({ verdict, hits }: Finding): DecidedFinding {
  return { verdict, hits: hits.map((hit) => ({ ...hit, alertId: "", dismissed: false })) };
}

/**
 * The finding as people decided it: a false positive does not count, a confirmed true match is a
 * block. Hits beyond those that a finding lists are not decided, so a full finding is never
 * better than a review.
 */
export function decidedFinding(
  { verdict, hits }: Finding,
  { parties }: ScreeningRequest,
  { ofHits, stands }: Decisions,
): DecidedFinding {
  const decided = hits.map((hit, at) => decidedHit(hit, ofHits[at]));
  const beyond: Verdict = hits.length >= hitsMax && verdict !== "clear" ? "review" : "clear";
  return {
    verdict: worstVerdict([
      ...decided.filter(({ dismissed }) => !dismissed).map((hit) => hit.verdict),
      ...parties.map(verdictOfName),
      ...([beyond, stands ? "block" : "clear"] as const),
    ]),
    hits: decided,
  };
}

function decidedHit(hit: ScreeningHit, decision: Decisions["ofHits"][number] | undefined) {
  if (decision === undefined) throw new Error("a hit without its decision");
  const { alertId, word } = decision;
  const verdict = word === "true_match" ? "block" : hit.verdict;
  return { ...hit, verdict, alertId, dismissed: word === "false_positive" };
}
