import { describe, expect, it } from "vitest";
import { listedNameVariants, nameVariants } from "./name-variants.ts";

const listed = (name: string, isPerson = false): string[] =>
  listedNameVariants(name, isPerson).map((tokens) => tokens.join(" "));

describe("quotation marks in a listed name", () => {
  it.each([
    ...'„…“ „…” „…„ ‚…‘ ‚…’ «…» »…« ‹…› ›…‹ “…” ”…” ‟…” 「…」 『…』 〝…〟 ″…″ "…" 《…》 〈…〉 ＂…＂'.split(
      " ",
    ),
  ])("are no brackets: %s", (pair) => {
    const [open, close] = pair.split("…");
    expect(listed(`Sp. z o.o. ${open}Zorvek Qorvath${close}`)).toEqual(["spzoo zorvek qorvath"]);
    expect(listed(`Akcinė bendrovė ${open}Zorvek`)).toEqual(["ab zorvek"]);
  });

  it("separate words without a space", () => {
    expect(listed('PJSC"Zorvek"')).toEqual(["pjsc zorvek"]);
    expect(listed("Zavod‚Zorvek‘")).toEqual(["zavod zorvek"]);
  });

  it("within a Hebrew acronym separate nothing", () => {
    expect(listed('צה"ל')[0]).not.toContain(" ");
  });
});

describe("text outside of brackets", () => {
  it.each([
    ["a legal form", "Spółka z o.o. (Zorvek Qorvath)", ["spzoo zorvek qorvath", "zorvek qorvath"]],
    ["a form with generic words", "Trading Company Ltd (Zorvek)", ["trading company ltd zorvek"]],
    ["an authority of a country", "Ministry of Defence [Syria]", ["ministry of defence syria"]],
    [
      "one in another language",
      "Riaditeľstvo bezpečnosti [Sýria]",
      ["riaditelstvo bezpecnosti syria"],
    ],
    ["generic words of a place", "National Oil Company (U.K.)", ["national oil company uk"]],
  ])("is no name by itself: %s", (_, name, variants) => {
    const isShort = name.includes("(Zorvek)");
    expect(listed(name)).toEqual(isShort ? [...variants, "trading company ltd"] : variants);
  });

  it.each([
    ["its acronym is inside", "GLOBAL RELIEF FOUNDATION (GRF)", "global relief foundation"],
    ["its acronym is in square brackets", "Zorvek Oil Group [ZOG]", "zorvek oil group"],
    ["a legal form is inside", "ASIA ENERGY TRADING (LLC)", "asia energy trading"],
    ["a place is inside of a proper name", "ZORVEK BANK (AUSTRIA) AG", "zorvek bank ag"],
  ])("is a name where %s", (_, name, outer) => {
    expect(listed(name)).toContain(outer);
  });

  it("of a person is a name with one name and a particle", () => {
    expect(listed("Abu Qorvath (the Bear)", true)).toEqual(["abu qorvath the bear", "abu qorvath"]);
  });
});

it.each([
  [
    "what kind of name it is",
    "Encep Qorvath (birth name)",
    ["encep qorvath birth name", "encep qorvath"],
  ],
  [
    "that it was listed",
    "Ezat Qorvath (previously listed as)",
    ["ezat qorvath previously listed as", "ezat qorvath"],
  ],
  [
    "in which script it is",
    "Abu Zorvek (original script: Зорвек Карабаш)",
    ["abu zorvek original script zorvek karabash", "abu zorvek", "zorvek karabash"],
  ],
])("a note in brackets that contains %s is not a listed name", (_, name, variants) => {
  expect(listed(name, true)).toEqual(variants);
});

it.each(["„…“", "‚…‘", "‘…’", "'…'", "«…»", "‹…›", "“…”", "「…」", "″…″"])(
  "a party's name in quotation marks is compared by itself: %s",
  (pair) => {
    const quoted = pair.replace("…", "Qosama bin Zaden");
    const { variants } = nameVariants(`Jane ${quoted} Smith`, true);
    expect(variants.map(({ tokens }) => tokens.join(" "))).toContain("qosama bin zaden");
  },
);
