import { describe, expect, it } from "vitest";
import { entryBlockingKeys, partyBlockingKeys } from "../blocking-keys.ts";
import { matcherConfig } from "../config.ts";
import { buildMatcher } from "../matcher.ts";
import { listedInitials } from "./initials.ts";
import { entriesOf, hasQuerySet, listFile, queriesOf, queryFile } from "./query-set.ts";
import { isPositive, recallAt, rightScore, runQueries } from "./recall.ts";

const reason = hasQuerySet ? "" : " (skipped: ../shared/data/sanctions is not here)";

describe.skipIf(!hasQuerySet)(`the matcher on public lists and labelled queries${reason}`, () => {
  const entries = hasQuerySet ? entriesOf(listFile) : [];
  const matcher = buildMatcher(entries, matcherConfig);
  const results = hasQuerySet ? runQueries(matcher, queriesOf(queryFile)) : [];
  const initials = runQueries(matcher, listedInitials(entries));

  // Watchman's score reaches 36.0, 57.1 and 71.2 on this set.
  it.each([
    [0.001, 0.93],
    [0.01, 0.98],
    [0.05, 0.99],
  ])("at a false positive rate of %d finds at least %d", (rate, least) => {
    expect(recallAt(results, rate).recall).toBeGreaterThanOrEqual(least);
  });

  it.each([
    "exact",
    "reordered",
    "weak_alias",
    "missing_middle",
    "initial_middle",
    "company_suffix",
  ])("finds every name of the kind %s at the threshold of 1% false positives", (kind) => {
    const { threshold } = recallAt(results, 0.01);
    const some = results.filter(({ query }) => query.kind === kind);
    const missed = some.filter((result) => isPositive(result) && rightScore(result) <= threshold);
    expect(some.length).toBeGreaterThan(0);
    expect(missed.map(({ query }) => query.id)).toEqual([]);
  });

  it.each([
    ["initials_s_family", 0.6],
    ["initials_sp_family", 0.9],
    ["initials_family_sp", 0.9],
    ["initials_joined", 0.9],
  ])("holds names of the form %s in a share of at least %d", (kind, least) => {
    const some = initials.filter(({ query }) => query.kind === kind);
    const held = some.filter(({ verdict }) => verdict !== "clear");
    expect(held.length / some.length).toBeGreaterThanOrEqual(least);
  });

  it("leaves namesakes with another birth date to a person, and neither clears nor blocks them", () => {
    const namesakes = results.filter(({ query }) => query.kind === "namesake_dob_conflict");
    expect(namesakes).toHaveLength(100);
    for (const { hits, verdict } of namesakes) {
      expect(verdict).not.toBe("clear");
      // Only an entry without a contradicting date may still block.
      const blocked = hits.filter((hit) => hit.verdict === "block");
      const contradicted = blocked.flatMap(({ reasons }) =>
        reasons.filter(({ kind, text }) => kind === "date" && text.includes("contradicts")),
      );
      expect(contradicted).toEqual([]);
    }
  });

  it("finds nobody with whom the party shares no blocking key", () => {
    const keysOf = new Map<string, ReadonlySet<string>>();
    for (const { query, hits } of [...results, ...initials].filter((_, at) => at % 10 === 0)) {
      const partyKeys = [...partyBlockingKeys(query.party)];
      for (const { entry } of hits.filter(({ verdict }) => verdict !== "clear")) {
        const keys = keysOf.get(entry.uid) ?? entryBlockingKeys(entry);
        keysOf.set(entry.uid, keys);
        expect(partyKeys.some((key) => keys.has(key))).toBe(true);
      }
    }
  });
});
