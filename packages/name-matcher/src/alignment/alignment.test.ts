import { describe, expect, it } from "vitest";
import { matcherConfig } from "../config.ts";
import { explain } from "../explanation.ts";
import { canonicalSpelling, consonantSkeleton } from "../tokens/canonical-spelling.ts";
import { tokenKinds } from "../tokens/token-kinds.ts";
import { aligner, concatenatedLink } from "./alignment.ts";
import { type Token, tokenSimilarity } from "./token-similarity.ts";

const weights = { weight: 1, missingWeight: 1, conflictWeight: 1, rarity: 1, count: 1 };

function tokensOf(name: string, isPerson: boolean): Token[] {
  const texts = name.split(" ");
  const kinds = tokenKinds(texts, isPerson);
  return texts.map((text, at) => {
    const canonical = canonicalSpelling(text);
    const skeleton = consonantSkeleton(canonical);
    return { text, kind: kinds[at] ?? "name", ...weights, canonical, skeleton };
  });
}

function aligned(party: string, entry: string, isPerson = true) {
  const [ours, theirs] = [tokensOf(party, isPerson), tokensOf(entry, isPerson)];
  const similarities = (other: Token) =>
    ours.map((one) => tokenSimilarity(one, other, matcherConfig));
  const alignment = aligner(ours, similarities, matcherConfig)(theirs);
  return { alignment, party: ours, entry: theirs };
}

describe("two words and one", () => {
  it.each([
    ["as they are", "qor vath", "qorvath", true],
    ["with a letter less", "qor vat", "qorvath", true],
    ["with a letter more", "qor vathe", "qorvath", true],
    ["with two letters more", "qor vathem", "qorvath", false],
    ["with a letter less in canonical spelling, two as written", "hal dov", "khalidov", true],
    ["with two letters less in canonical spelling", "ha dov", "khalidov", false],
    ["with a letter of a half of three lost", "elo qorvam", "loqorvam", true],
    ["with a letter of a half of two lost", "el qorvamin", "lqorvamin", false],
  ])("%s: %s, %s are one another: %s", (_, two, one, areAlike) => {
    for (const [party, entry] of [
      [two, one],
      [one, two],
    ] as const) {
      const { parts } = explain(aligned(`${party} zembling`, `${entry} zembling`));
      expect(parts.some((part) => part.party === party && part.entry === entry)).toBe(areAlike);
    }
  });
});

it("two words that meet in one letter are like one that has it once", () => {
  const { parts } = explain(aligned("badr rashid", "badrashid"));
  const similarity = matcherConfig.spelling.compound;
  expect(parts).toMatchObject([{ party: "badr rashid", entry: "badrashid", similarity }]);
});

describe("all of a name as one word", () => {
  it.each([
    ["one word", "abkorveth", "ab korvath", true],
    ["two initials", "a b korveth", "ab korvath", false],
    ["three letters with spaces", "a b d korveth", "abd korvath", true],
    ["spaces in other places", "abk orvath", "ab korvath", true],
    ["spaces in other places and another vowel", "abk orveth", "ab korvath", false],
  ])("%s: %s for %s, %s", (_, party, entry, isLinked) => {
    const spelling = canonicalSpelling(party.replaceAll(" ", ""));
    const share = matcherConfig.spelling.compound;
    const link = concatenatedLink(spelling, tokensOf(party, true), tokensOf(entry, true), share);
    expect(link !== undefined).toBe(isLinked);
  });
});
