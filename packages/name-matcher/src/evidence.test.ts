import { describe, expect, it } from "vitest";
import { matcherConfig } from "./config.ts";
import { compareDate, compareDates, documentKey, weighEvidence } from "./evidence.ts";
import { decide, worstVerdict } from "./verdict.ts";

describe("compareDate", () => {
  it.each([
    ["1966-09-08", "1966-09-08", "equal"],
    ["1966-09-08", "1966-08-09", "near"],
    ["1966-09-08", "1966-09-18", "near"],
    ["1966-09-02", "1966-08-31", "near"],
    ["1966-09-03", "1966-08-31", "contradicts"],
    ["1966-09-08", "1967-09-08", "near"],
    ["1966-09-08", "1966-03-09", "contradicts"],
    ["1966-09-08", "1967-09-20", "contradicts"],
    ["1966-09-08", "1967-11-08", "contradicts"],
    ["1966-09-08", "1976-09-08", "near"],
    ["1966-09-08", "1968-09-08", "contradicts"],
    ["1966-09-08", "1966-01-02", "contradicts"],
    ["1966-09-08", "1966", "year"],
    ["1966-09-08", "1966-09", "year"],
    ["1966-09-08", "1966-10", "near"],
    ["1966-09-08", "1967", "near"],
    ["1966-09-08", "1968", "contradicts"],
    ["", "1966", "unknown"],
  ])("%s against %s: %s", (party, listed, verdict) => {
    expect(compareDate(party, listed)).toBe(verdict);
  });

  it("takes the best of several listed dates", () => {
    const listed = ["1958", "1966-09-08", "1966"];
    expect(compareDates("1966-09-08", listed)).toEqual({ verdict: "equal", listed: "1966-09-08" });
    expect(compareDates("1966-09-08", [])).toEqual({ verdict: "unknown", listed: "" });
  });
});

describe("documentKey", () => {
  it.each([
    ["523-33-8386", "523338386"],
    [" ab/12 345", "AB12345"],
    ["IMO", ""],
    ["N/A-none", ""],
    ["1234", ""],
    ["12345", "12345"],
  ])("%s is compared as %s", (number, key) => {
    expect(documentKey(number)).toBe(key);
  });
});

describe("weighEvidence and decide", () => {
  const { review, block } = matcherConfig.bands;
  const entry = {
    births: ["1966-09-08"],
    countries: ["RU"],
    documents: [{ number: "A-123456", country: "RU" }],
  };
  const decided = (score: number, date = "", country = "", document = "") => {
    const countries = country === "" ? [] : [country];
    const documents = document === "" ? [] : [{ number: document, country: "" }];
    const evidence = weighEvidence(score, { date, countries, documents }, entry, matcherConfig);
    const { reasons, verdict } = decide(score, evidence, {}, matcherConfig);
    const effects = [...evidence.reasons, ...reasons].map((reason) => reason.effect);
    const sum = effects.reduce((total, effect) => total + effect, score);
    return { verdict, score: evidence.score, sum };
  };

  it.each([
    ["a name alone, strong", decided(1), "block"],
    ["at the bound of block", decided(block), "block"],
    ["under it", decided(block - 0.001), "review"],
    ["at the bound of review", decided(review), "review"],
    ["under it", decided(review - 0.001), "clear"],
    ["a strong name with a contradicting date", decided(1, "1990-01-01"), "review"],
    ["a name in review with a contradicting date", decided(review, "1990-01-01"), "review"],
    ["and another country", decided(review, "1990-01-01", "FR"), "review"],
    ["a contradicting date, but a document", decided(1, "1990-01-01", "", "A123456"), "review"],
    ["a good name with the date", decided(0.88, "1966-09-08"), "block"],
    ["a fair name with date and country", decided(0.7, "1966-09-08", "RU"), "review"],
    ["half a name with date and country", decided(0.5, "1966-09-08", "RU"), "review"],
    ["less than half with both", decided(0.49, "1966-09-08", "RU"), "clear"],
    ["no name but the document", decided(0, "", "", "A 123456"), "review"],
    ["half a name and the document", decided(0.5, "", "", "A 123456"), "block"],
    ["no name, another document", decided(0, "", "", "A 123457"), "clear"],
  ])("%s: %j is %s", (_, decision, verdict) => {
    expect(decision.verdict).toBe(verdict);
    expect(decision.sum).toBeCloseTo(decision.score, 3);
  });
});

it("a contradicting date makes a block a review from the bound of block on", () => {
  const { block } = matcherConfig.bands;
  const decided = (score: number) =>
    decide(score, { score, dateContradicts: true, reasons: [] }, {}, matcherConfig);
  expect(decided(block)).toMatchObject({ verdict: "review", reasons: [{ kind: "date" }] });
  expect(decided(block - 0.001)).toMatchObject({ verdict: "review", reasons: [] });
});

describe("the country as evidence", () => {
  const weighed = (score: number, party: readonly string[], listed: readonly string[]) => {
    const nothing = { documents: [], births: [], date: "" };
    const evidence = { ...nothing, countries: party };
    return weighEvidence(score, evidence, { ...nothing, countries: listed }, matcherConfig);
  };

  it.each([
    ["another country lowers the score", 0.9, ["FR"], ["RU"], 0.88, -0.02],
    ["no shared country of several lowers it once", 0.9, ["FR", "BR"], ["RU", "UA"], 0.88, -0.02],
    ["another country lowers a poor name's score too", 0.5, ["FR"], ["RU"], 0.48, -0.02],
    ["another country never takes a score below 0", 0.01, ["FR"], ["RU"], 0, -0.01],
    ["a shared country raises it a tenth of the way to 1", 0.9, ["RU"], ["RU"], 0.91, 0.01],
    ["one shared country of several raises it", 0.9, ["FR", "RU"], ["UA", "RU"], 0.91, 0.01],
    ["a shared country raises no poor name's score", 0.49, ["RU"], ["RU"], 0.49, 0],
    ["a shared country raises one that is just good enough", 0.5, ["RU"], ["RU"], 0.55, 0.05],
  ] as const)("%s", (_, score, party, listed, expected, effect) => {
    const evidence = weighed(score, party, listed);
    expect(evidence.score).toBeCloseTo(expected, 10);
    expect(evidence.reasons).toEqual([{ kind: "country", text: expect.any(String), effect }]);
  });

  it("names the countries of the party and of the entry", () => {
    const textOf = (party: readonly string[], listed: readonly string[]) =>
      weighed(0.9, party, listed).reasons.map(({ text }) => text);
    expect(textOf(["FR", "BR"], ["RU", "UA"])).toEqual(["country: FR, BR is none of RU, UA"]);
    expect(textOf(["FR", "RU"], ["RU", "UA"])).toEqual(["country: RU is listed too"]);
  });

  it.each([
    ["the party", [], ["RU"]],
    ["the entry", ["FR"], []],
  ])("an unknown country of %s changes nothing", (_, party, listed) => {
    expect(weighed(0.9, party, listed)).toMatchObject({ score: 0.9, reasons: [] });
  });
});

describe("worstVerdict", () => {
  it.each([
    [[], "clear"],
    [["clear", "review", "clear"], "review"],
    [["review", "block", "clear"], "block"],
  ] as const)("of %j is %s", (some, worst) => {
    expect(worstVerdict(some)).toBe(worst);
  });
});
