import { type Verdict, worstVerdict } from "@disburse/name-matcher/verdict.ts";
import { type Finding, hitsMax, type ScreeningHit } from "./hit.ts";

/** The disposition of a hit by people. */
export type Disposition = "undecided" | "false_positive" | "true_match";

/** What people decided about the hits of one subject. */
export type Decisions = {
  /** One for each hit, in the order of the hits. */
  readonly ofHits: readonly { readonly alertId: string; readonly disposition: Disposition }[];
  /** Hits of confirmed true matches that the matcher does not find any more. */
  readonly standing: readonly Pick<ScreeningHit, "list" | "entryUid">[];
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

/** Of a subject that is not monitored, so that its hits have no disposition. */
export function undecided({ verdict, hits }: Finding): DecidedFinding {
  return { verdict, hits: hits.map((hit) => ({ ...hit, alertId: "", dismissed: false })) };
}

/** More than the matcher aligns of a name; what a request finds beyond is decided as one. */
export const decidableMax = 1_000;

/** Whether there may be more hits than a finding lists, about which people could decide too. */
export function isTruncated({ hits }: Pick<Finding, "hits">): boolean {
  return hits.length >= hitsMax;
}

/**
 * The finding as people decided it: a false positive does not count, a confirmed true match is a
 * block. Of a finding with all its hits (`decidableMax`); those that count are listed first.
 */
export function decidedFinding(
  { hits }: Pick<Finding, "hits">,
  { ofHits, standing }: Decisions,
): DecidedFinding {
  const decided = hits.map((hit, at) => decidedHit(hit, ofHits[at]));
  const counting = decided.filter(({ dismissed }) => !dismissed);
  const others = decided.filter(({ dismissed }) => dismissed);
  return {
    verdict: worstVerdict([
      ...counting.map((hit) => hit.verdict),
      ...standing.map(() => "block" as const),
    ]),
    hits: [...counting, ...others].slice(0, hitsMax),
  };
}

function decidedHit(
  hit: ScreeningHit,
  decision: Decisions["ofHits"][number] | undefined,
): DecidedHit {
  if (decision === undefined) throw new Error("a hit without its decision");
  const { alertId, disposition } = decision;
  const verdict = disposition === "true_match" ? "block" : hit.verdict;
  return { ...hit, verdict, alertId, dismissed: disposition === "false_positive" };
}
