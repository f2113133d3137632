import { describe, expect, it } from "vitest";
import { termsOf, wantedTerms, wordsOf } from "./search-terms.ts";

it.each<[written: string, words: string[]]>([
  ["Ada  LOVELACE", ["ada", "lovelace"]],
  ["Łukasz Müller-Straße", ["lukasz", "muller", "strasse"]],
  ["Ｊａｎｅ Doe", ["jane", "doe"]],
  ["İbrahim Işık", ["ibrahim", "isik"]],
  ["Иван Щукин", ["ivan", "shchukin"]],
  ["ΓΙΏΡΓΟΣ", ["giorgos"]],
  ["مُحَمَّد", ["محمد"]],
  ["O’Neil & Sons, 2", ["o", "neil", "sons", "2"]],
  ["李小明", ["李小明"]],
  ["सीता", ["सीता"]],
  [" ・!🎉 ", []],
])("the words of %j are %j", (written, words) => {
  expect(wordsOf(written)).toEqual(words);
  expect(wordsOf(written.normalize("NFD"))).toEqual(words);
  expect(wordsOf(words.join(" "))).toEqual(words);
});

describe("terms", () => {
  const names = (name: string, fields = {}) =>
    termsOf(name, fields).flatMap(([kind, text]) => (kind === "name" ? [text] : []));

  it("are each word and its first 3 to 8 letters", () => {
    expect(names("Li Christopher")).toEqual([
      ...["li", "christopher", "chr", "chri", "chris", "christ", "christo", "christop"],
    ]);
    expect(names("김")).toEqual(["김".normalize("NFKD")]);
  });

  it("are also of the Latin name and the alias, each once", () => {
    const fields = { beneficiary_name_latin: "Ada", beneficiary_alias: "Ada Bob" };
    expect(names("Аda", fields)).toEqual(["ada", "bob"]);
  });

  it("are the whole reference and each pair of metadata", () => {
    const fields = { reference_id: "Supplier 17", metadata: { order: "10 01" } };
    expect(termsOf("", fields)).toEqual([
      ["reference", "Supplier 17"],
      ["metadata", "order", "10 01"],
    ]);
  });

  it("are of at most 30 words", () => {
    const many = Array.from({ length: 40 }, (_each, at) => `${at}`).join(" ");
    expect(names(many)).toHaveLength(30);
  });
});

describe("a search", () => {
  const none = { beneficiaryName: "", referenceId: "", metadata: {} };
  const words = (count: number) => Array.from({ length: count }, (_each, at) => `w${at}`).join(" ");
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_each, at) => [`k${at}`, "v"]));

  it("wants all terms, the most selective first", () => {
    expect(wantedTerms(none)).toEqual([]);
    const search = { beneficiaryName: "Li LOVELACE li", referenceId: " 17 ", metadata: { a: "b" } };
    expect(wantedTerms(search)).toEqual([
      ["reference", "17"],
      ["metadata", "a", "b"],
      ["name", "lovelace"],
      ["name", "li"],
    ]);
  });

  it.each([
    [{ beneficiaryName: words(10) }, undefined],
    [{ beneficiaryName: words(11) }, "beneficiary_name: must have at most 10 words"],
    [{ beneficiaryName: " ?! " }, "beneficiary_name: must have a word"],
    [{ beneficiaryName: "🎉a".repeat(127) }, undefined],
    [{ beneficiaryName: "x".repeat(256) }, "beneficiary_name: must be at most 255 characters"],
    [{ referenceId: "x".repeat(255) }, undefined],
    [{ referenceId: "x".repeat(256) }, "reference_id: must be at most 255 characters"],
    [{ metadata: pairs(10) }, undefined],
    [{ metadata: pairs(11) }, "metadata: must have at most 10 pairs"],
  ])("%j is refused with %j", (search, detail) => {
    const terms = wantedTerms({ ...none, ...search });
    if (detail === undefined) expect(terms).toBeInstanceOf(Array);
    else expect(terms).toEqual({ refused: "INVALID_REQUEST", detail });
  });
});
