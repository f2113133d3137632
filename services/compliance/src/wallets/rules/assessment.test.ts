import { describe, expect, it } from "vitest";
import {
  assessedNetworks,
  assessmentOf,
  type Identification,
  queriedAddress,
  worstAssessment,
} from "./assessment.ts";

const asOf = new Date("2026-01-01T00:00:00Z");
const known = (category: string, name = "Invented", url = ""): Identification => ({
  category,
  name,
  url,
});
const assessed = (...some: readonly Identification[]) => assessmentOf(some, "provider", asOf);

describe("assessmentOf", () => {
  it.each([
    [[], "clear", "none"],
    [[known("sanctions")], "block", "severe"],
    [[known("Sanctioned Entity")], "block", "severe"],
    [[known("mixer")], "review", "high"],
    [[known("mixer"), known("sanctions")], "block", "severe"],
  ])("says of %j %s, %s", (some, verdict, severity) => {
    expect(assessed(...some)).toMatchObject({ verdict, severity, provider: "provider", asOf });
  });

  it("has category, name and reference in one bounded line", () => {
    const url = "https://example.com/1";
    expect(assessed(known("sanctions", "A\n\tB\u0000C", url)).evidence).toEqual([
      `sanctions: A B C: ${url}`,
    ]);
    expect(assessed(known("mixer", "")).evidence).toEqual(["mixer"]);
    expect(assessed(known("mixer", "😀".repeat(500))).evidence[0]).toHaveLength(300);
    expect(assessed(...Array<Identification>(21).fill(known("mixer"))).evidence).toHaveLength(20);
  });
});

describe("worstAssessment", () => {
  it("is the worst verdict with the evidence of all", () => {
    const all = [assessed(), assessed(known("mixer")), assessed(known("sanctions"))];
    expect(worstAssessment(all)).toMatchObject({
      verdict: "block",
      evidence: ["mixer: Invented", "sanctions: Invented"],
    });
    expect(worstAssessment([])).toBeUndefined();
  });
});

it("queries the networks that are named, or one of each family", () => {
  expect(assessedNetworks(["POL", "POL", "BNB"], ["evm"])).toEqual(["POL", "BNB"]);
  expect(assessedNetworks([], ["evm", "tron"])).toEqual(["ETHEREUM", "TRX"]);
});

it.each([
  [
    "POL",
    "0xABCDEF0000000000000000000000000000000001",
    "0xabcdef0000000000000000000000000000000001",
  ],
  [
    "BTC",
    "BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
  ],
  ["BTC", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"],
  ["TRX", "TAbcDe", "TAbcDe"],
  ["SOLANA", "AbcDe", "AbcDe"],
])("on %s queries %s as %s", (network, address, queried) => {
  expect(queriedAddress(network, address)).toBe(queried);
});
