import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import { describe, expect, it } from "vitest";
import {
  type Decisions,
  type Disposition,
  decidedFinding,
  isTruncated,
  undecided,
} from "./decided-finding.ts";
import { hitsMax, type ScreeningHit } from "./hit.ts";

const hit = (verdict: Verdict): ScreeningHit => ({
  ...{ list: "invented", listVersion: "1", entryUid: "7", entryFingerprint: "f" },
  ...{ entryType: "individual", source: "", programs: [], subjectIndex: 0 },
  ...{ matchedName: "Orlan Vessik", score: 0.9, nameScore: 0.9, verdict },
  ...{ reasons: [], parts: [], partyLeftOver: [], entryLeftOver: [] },
});
const words = (...some: Disposition[]): Decisions => ({
  ofHits: some.map((disposition, at) => ({ alertId: `alr_${at}`, disposition })),
  standing: [],
});

type Row = [string, readonly Verdict[], Decisions, Verdict];
const rows: Row[] = [
  ["nothing was found", [], words(), "clear"],
  ["undecided", ["review"], words("undecided"), "review"],
  ["an undecided block", ["block", "review"], words("undecided", "undecided"), "block"],
  [
    "all are false positives",
    ["block", "review"],
    words("false_positive", "false_positive"),
    "clear",
  ],
  ["one is left", ["block", "review"], words("false_positive", "undecided"), "review"],
  ["one is the one", ["review", "review"], words("true_match", "false_positive"), "block"],
  ["a confirmed match is found no more", [], { ofHits: [], standing: [hit("review")] }, "block"],
];

describe("a finding after people decided", () => {
  it.each(rows)("%s", (_what, found, decisions, expected) => {
    const decided = decidedFinding({ hits: found.map(hit) }, decisions);
    expect(decided.verdict).toBe(expected);
  });

  it("has the alert of each hit, and whether it counts", () => {
    const found = { hits: [hit("block"), hit("review")] };
    const { hits } = decidedFinding(found, words("false_positive", "true_match"));
    expect(hits).toMatchObject([
      { alertId: "alr_1", dismissed: false, verdict: "block" },
      { alertId: "alr_0", dismissed: true, verdict: "block" },
    ]);
  });

  const many = (count: number, dismissed: number) => {
    const hits = Array.from({ length: count }, () => hit("review"));
    const dispositions = hits.map((_each, at) => (at < dismissed ? "false_positive" : "undecided"));
    return decidedFinding({ hits }, words(...(dispositions as Disposition[])));
  };

  it("lists counted hits first, and no more than a person reads", () => {
    const { verdict, hits } = many(hitsMax + 5, hitsMax);
    expect([verdict, hits.length]).toEqual(["review", hitsMax]);
    expect(hits.map(({ dismissed }) => dismissed)).toEqual(hits.map((_each, at) => at >= 5));
    expect(many(hitsMax + 5, hitsMax + 5).verdict).toBe("clear");
  });

  it("is truncated where it lists as many hits as it may", () => {
    expect(isTruncated(many(hitsMax, 0))).toBe(true);
    expect(isTruncated(many(hitsMax - 1, 0))).toBe(false);
  });

  it("needs a decision for each hit", () => {
    const found = { hits: [hit("review")] };
    expect(() => decidedFinding(found, words())).toThrow("has no stored decision");
  });
});

it("of a subject that is not monitored is as it was found", () => {
  const found = { verdict: "review" as const, hits: [hit("review")] };
  expect(undecided(found)).toEqual({
    verdict: "review",
    hits: [{ ...hit("review"), alertId: "", dismissed: false }],
  });
});
