import { describe, expect, it } from "vitest";
import { matcherConfig } from "../config.ts";
import { canonicalSpelling, consonantSkeleton } from "../tokens/canonical-spelling.ts";
import { type Token, tokenSimilarity } from "./token-similarity.ts";

const weights = { weight: 1, missingWeight: 1, conflictWeight: 1, rarity: 1, count: 1 };

function token(text: string, kind: Token["kind"] = "name"): Token {
  const canonical = canonicalSpelling(text);
  return { text, kind, ...weights, canonical, skeleton: consonantSkeleton(canonical) };
}

/** Also checks that the similarity is symmetric. */
function similarity(one: Token, other: Token): number {
  const [there, back] = [
    tokenSimilarity(one, other, matcherConfig),
    tokenSimilarity(other, one, matcherConfig),
  ];
  expect(back).toBe(there);
  return there;
}

describe("tokenSimilarity", () => {
  it.each([
    ["the same", token("petrov"), token("petrov"), 1],
    ["a legal form and its short form", token("limited", "legal"), token("ltd", "legal"), 1],
    ["two legal forms", token("limited", "legal"), token("gmbh", "legal"), 0],
    [
      "two words of one trade",
      token("air", "trade"),
      token("airlines", "trade"),
      matcherConfig.spelling.trade,
    ],
    [
      "one trade in two spellings",
      token("ship", "trade"),
      token("shipping", "trade"),
      matcherConfig.spelling.trade,
    ],
    ["two trades", token("bank", "trade"), token("airways", "trade"), 0],
    ["a name and a trade", token("air"), token("airlines", "trade"), 0],
    ["another romanisation", token("yuri"), token("iurii"), matcherConfig.spelling.canonical],
    ["an initial of it", token("p", "initial"), token("petrov"), matcherConfig.spelling.initial],
    ["an initial of another", token("i", "initial"), token("petrov"), 0],
    ["a letter that is no initial", token("p"), token("petrov"), 0],
    ["what Abdul abbreviates", token("abdul"), token("abdullah"), matcherConfig.spelling.abd],
    ["another number", token("17"), token("18"), 0],
    ["a family name and the son's", token("alekseev"), token("alekseevich"), 0],
    ["a family name and the daughter's", token("petrov"), token("petrovna"), 0],
  ])("of %s", (_what, one, other, expected) => {
    expect(similarity(one, other)).toBe(expected);
  });

  it("is less of two names that lists know each, unless they have the same consonants", () => {
    const known = (text: string) => ({ ...token(text), count: 5 });
    const typo = similarity(known("andrei"), token("andres"));
    const { otherName } = matcherConfig.spelling;
    expect(similarity(known("andrei"), { ...token("andres"), count: 4 })).toBe(typo);
    expect(similarity(known("andrei"), known("andres"))).toBeCloseTo(typo * otherName);
    expect(similarity(known("salim"), known("selim"))).toBe(
      similarity(token("salim"), token("selim")),
    );
  });

  it("counts from the least similarity on, and not below it", () => {
    const [one, other] = [token("petrovan"), token("petlovan")];
    const alike = similarity(one, other);
    const { spelling } = matcherConfig;
    const from = (similarityMin: number) =>
      tokenSimilarity(one, other, { ...matcherConfig, spelling: { ...spelling, similarityMin } });
    expect([from(alike), from(alike + 1e-6)]).toEqual([alike, 0]);
  });

  it("compares the written forms only if they are one edit apart", () => {
    const byLetters = similarity(token("tschukov"), token("taschukov"));
    expect(byLetters).toBeGreaterThan(0.8);
    expect(similarity(token("tschukov"), token("taeschukov"))).toBeLessThan(0.7);
  });

  it("does not treat a name with an additional letter as a patronymic of the other", () => {
    expect(similarity(token("petrovi"), token("petrovic"))).toBeGreaterThan(0.8);
  });
});
