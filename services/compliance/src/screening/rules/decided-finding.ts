import { type Verdict, worstVerdict } from "@disburse/name-matcher/verdict.ts";
import { type Finding, hitsMax, type ScreeningHit } from "./hit.ts";

/** Operators' decision about a hit. */
export type Disposition = "undecided" | "false_positive" | "true_match";

/** Operators' decisions about the hits of one subject. */
export type Decisions = {
  /** The decisions, one for each hit, in the order of the hits. */
  readonly ofHits: readonly { readonly alertId: string; readonly disposition: Disposition }[];
  /** Hits of confirmed true matches that the matcher no longer finds. */
  readonly standing: readonly Pick<ScreeningHit, "list" | "entryUid">[];
};

/** A hit with an operator's decision about it. */
export type DecidedHit = ScreeningHit & {
  /** The alert of the hit. "" for a subject that is not monitored. */
  readonly alertId: string;
  /** True if the hit does not count for the verdict. */
  readonly dismissed: boolean;
};

/** A finding with operators' decisions applied. */
export type DecidedFinding = { readonly verdict: Verdict; readonly hits: readonly DecidedHit[] };

/** An unmonitored subject has no alerts, so its hits have no disposition. */
export function undecided({ verdict, hits }: Finding): DecidedFinding {
  return { verdict, hits: hits.map((hit) => ({ ...hit, alertId: "", dismissed: false })) };
}

/**
 * The maximum hits that operators decide individually. Hits beyond it are combined into one. The
 * matcher aligns fewer for a name.
 */
export const decidableMax = 1_000;

/** True if there may be more hits than the finding lists. */
export function isTruncated({ hits }: Pick<Finding, "hits">): boolean {
  return hits.length >= hitsMax;
}

/**
 * Applies operators' decisions. A false positive does not count, and a confirmed true match is a
 * block. The finding must contain all its hits (`decidableMax`). In the result, hits that count
 * come first.
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
  if (decision === undefined) throw new Error("a screening hit has no stored decision");
  const { alertId, disposition } = decision;
  const verdict = disposition === "true_match" ? "block" : hit.verdict;
  return { ...hit, verdict, alertId, dismissed: disposition === "false_positive" };
}
