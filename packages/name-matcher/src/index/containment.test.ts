import { describe, expect, it } from "vitest";
import { matcherConfig } from "../config.ts";
import type { EntryType, NameKind } from "../entry.ts";
import { buildMatcher, type Party } from "../matcher.ts";
import type { ListedEntry } from "../measure/query-set.ts";

const entry = (type: EntryType, name: string, kind: NameKind = "primary"): ListedEntry => ({
  uid: name,
  type,
  names: [{ name, kind }],
  births: ["1966-09-08"],
  countries: ["RU"],
  documents: [],
});
const party = (type: EntryType, name: string, more: Partial<Party> = {}): Party => ({
  type,
  name,
  date: "",
  countries: [],
  documents: [],
  ...more,
});

/** Words in thousands of persons' names are not rare, however many of them a name has. */
const crowd = Array.from({ length: 4_000 }, (_, at) => entry("individual", `Adam Karim N${at}um`));
const list = [
  ...crowd,
  entry("individual", "ZEMBLING, Qorvath Ulvanovich"),
  entry("individual", "DROSTIG, Mila"),
  entry("individual", "KARIM, Adam"),
  entry("individual", "Harlan Mosswick", "weak"),
  entry("individual", "VEXIL, Vexil Orrum"),
  entry("individual", "Solander"),
  entry("individual", "TUVAN, Alireza"),
  entry("entity", "QUELLAR BRANTOM TRADING CO., LTD."),
  entry("entity", "NORTH RIVER SHIPPING LINES LIMITED"),
  entry("entity", "GLOBAL ENERGY COMPANY"),
  entry("entity", "ZOTAVIK LLC"),
  entry("entity", "SOLANDER LLC"),
  entry("individual", "HADIR, Abdul"),
  entry("individual", "ABDO, Perrundel"),
  entry("individual", "QI, Orum"),
  entry("entity", "SHEN ZHEN"),
  entry("entity", "BLUE STAR SHIPPING"),
  entry("entity", "REDPIER MARITIME"),
];
const matcher = buildMatcher(list, matcherConfig);
const verdictOf = (searched: Party): string => matcher.match(searched)[0]?.verdict ?? "clear";

describe("a person whose name contains a listed one", () => {
  it.each([
    ["a middle name more", "Mila Priya Drostig"],
    ["a family name more", "Mila Drostig Walker"],
    ["three family names more", "Mila Drostig Walker Okello Nakamura"],
    ["all of it twice", "Mila Drostig Mila Drostig"],
    ["the given name twice", "Mila Mila Drostig"],
    ["a long name in the middle", "Qorvath Anders Zembling Ulvanovich Singh"],
    ["a word that is nearly equal", "Mila Drostigh Walker"],
    ["two words as one", "Ali Reza Tuvan Walker"],
    ["a word that the list repeats", "Orrum Vexil Walker"],
    ["a degree", "Mila Drostig Walker, Ph.D."],
    ["a family name that is half of others", "Perrundel Abdo Walker Okello"],
  ])("is in review: %s", (_, name) => {
    expect(verdictOf(party("individual", name))).toBe("review");
  });

  it.each([
    ["a contradicting birth date", { date: "1999-01-01" }],
    ["another country", { countries: ["BR"] }],
    ["both", { date: "1999-01-01", countries: ["BR"] }],
  ])("is in review regardless of other data: %s", (_, more) => {
    const searched = party("individual", "Mila Drostig Walker Okello", more);
    expect(verdictOf(searched)).toBe("review");
  });

  it.each([
    ["one of its words", "Mila Walker Okello"],
    ["words that are too common together", "Adam Lin Karim Walker"],
    ["a weak alias", "Harlan Mosswick Walker Okello Nakamura"],
    ["one word of one name", "Solander Walker Okello"],
    ["another name with the same letters in front", "Mila Drosten Walker Okello"],
  ])("is clear with %s", (_, name) => {
    expect(verdictOf(party("individual", name))).toBe("clear");
  });
});

describe("a company whose name contains a listed one", () => {
  it.each([
    ["words of trade more", "Quellar Brantom Trading Oil and Gas Services LLC"],
    ["in another order", "Trading House Brantom of Quellar"],
    ["words of trade in a row", "North River Shipping Lines Telecom GmbH"],
    ["one word with words of trade", "Zotavik Trading Europe Ltd"],
  ])("is in review: %s", (_, name) => {
    expect(verdictOf(party("entity", name))).toBe("review");
  });

  it.each([
    ["words of trade apart", "North Oil River Telecom Shipping Food Lines"],
    ["two words of trade", "Kolibri Global Energy Holding"],
    ["one word beside another name", "Zotavik Peak Trading Ltd"],
    ["one word that is nearly equal", "Zotavic Trading Europe Ltd"],
    ["one word that persons are called", "Solander Trading Europe Ltd"],
  ])("is clear with %s", (_, name) => {
    expect(verdictOf(party("entity", name))).toBe("clear");
  });
});

describe("a listed name whose words are joined or split, with one word more", () => {
  it.each([
    ["individual", "Miladrostig Walker"],
    ["individual", "Drostigmila Walker Okello"],
    ["individual", "Qorvath Ulvanovichzembling Singh"],
    ["individual", "Zem Bling Qorvath Ulvanovich Singh"],
    ["individual", "Qorvathulv Anovich Zembling Singh"],
    ["entity", "BLUESTAR SHIPPING GROUP"],
    ["entity", "Blue Starshipping Group"],
    ["entity", "RED PIER MARITIME HAMBURG"],
    ["entity", "Quellarbrantom Trading Oil and Gas Services"],
  ] as const)("is in review: %s %s", (type, name) => {
    expect(verdictOf(party(type, name))).toBe("review");
  });

  it.each([
    ["individual", "Milaandrostig Walker"],
    ["entity", "Bluestone Shipping Group"],
    ["entity", "Redpainter Maritime Hamburg"],
    ["individual", "Abdulhadir Walker Okello"],
    ["individual", "Qiorum Walker Okello"],
    ["entity", "Shenzhen Okello Electric Walker"],
  ] as const)("is clear where the letters differ, are few or one name: %s %s", (type, name) => {
    expect(verdictOf(party(type, name))).toBe("clear");
  });
});

describe("a name of the other type", () => {
  it.each([
    ["a person as a company, with a digit for a letter", "entity", "Mila Dr0stig GmbH"],
    ["a person as a company, letter by letter", "entity", "M i l a D r o s t i g GmbH"],
    ["a person as a company, joined", "entity", "Miladrostig Consulting GmbH"],
    ["a person as a company, split", "entity", "Mila Dros Tig Consulting GmbH"],
    ["a company as a person, split", "individual", "Quel Lar Brantom Trading"],
    ["a company as a person, joined", "individual", "Anna Quellarbrantom Trading"],
    ["a company as a person, with a digit", "individual", "Anna Quellar Brant0m Trading"],
    ["a person as a company", "entity", "Mila Drostig GmbH"],
    ["a person as a company with words of trade", "entity", "Mila Drostig Consulting Ltd"],
    ["a person as a company, one letter off", "entity", "Mila Drostigg Trading LLC"],
    ["a company as a person", "individual", "Quellar Brantom Trading"],
    ["a company as a person with a name more", "individual", "Anna Quellar Brantom Trading"],
  ] as const)("is in review: %s", (_, type, name) => {
    const hits = matcher.match(party(type, name));
    expect(hits).toMatchObject([{ verdict: "review" }]);
    expect(hits[0]?.entry.type).not.toBe(type);
  });

  it("of one word is no name of a person", () => {
    expect(verdictOf(party("individual", "Anna Zotavik"))).toBe("clear");
  });
});

it("leaves the score unchanged, and returns the deciding words and their rarity", () => {
  const [hit] = matcher.match(party("individual", "Mila Drostig Walker Okello Nakamura"));
  expect(hit?.score).toBeLessThan(matcherConfig.bands.review);
  expect(hit?.reasons.at(-1)).toEqual({
    kind: "name",
    text: expect.stringMatching(
      /^name: contains every word of a listed name: drostig, mila \(rarity 1\.\d+, at least 1\.05\)$/,
    ),
    effect: 0,
  });
  const sum = hit?.reasons.reduce((total, reason) => total + reason.effect, 0);
  expect(sum).toBeCloseTo(hit?.score ?? 0, 3);
});
