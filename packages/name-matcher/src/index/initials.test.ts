import { describe, expect, it } from "vitest";
import { matcherConfig } from "../config.ts";
import type { EntryType, NameKind } from "../entry.ts";
import { buildMatcher, type Party } from "../matcher.ts";
import type { ListedEntry } from "../measure/query-set.ts";

const entry = (type: EntryType, uid: string, names: string[], kind: NameKind): ListedEntry => ({
  uid,
  type,
  names: names.map((name) => ({ name, kind })),
  births: ["1966-09-08"],
  countries: ["RU"],
  documents: [],
});
const person = (...names: string[]) => entry("individual", names[0] ?? "", names, "primary");
const party = (name: string, more: Partial<Party> = {}): Party => ({
  type: "individual",
  name,
  date: "",
  countries: [],
  documents: [],
  ...more,
});

/** A family name in the names of sixty listed persons is common. */
const families = Array.from({ length: 60 }, (_, at) => person(`Adam Karimol N${at}um`));
const matcher = buildMatcher(
  [
    ...families,
    person("ZEMBLING, Qorvath Ulvanovich"),
    person("DROSTIG, Yuriy Ivanovich"),
    person(
      "VEXILOV, Yevgeniy Zhorikovich",
      "VEXILOV, Evgeny",
      "VEXILOFF, Evgeny",
      "Evgenij VEXILOV",
    ),
    person("KARIMOL, Sorun Tavirovich"),
    person("SZU, Marun Perrunovich"),
    person("OKELLIN, Amir Perrunovich Talun"),
    person("LI, Orum Na"),
    entry("individual", "weak", ["MOSSWICKER, Harlan Perrunovich"], "weak"),
    entry("entity", "firm", ["TUVANOR Qorvath Ulvanovich"], "primary"),
  ],
  matcherConfig,
);
const verdictOf = (searched: Party): string => matcher.match(searched)[0]?.verdict ?? "clear";

describe("a listed family name with initials", () => {
  it.each([
    ["both before", "Q.U. Zembling"],
    ["both after", "Zembling Q.U."],
    ["with spaces", "Q. U. Zembling"],
    ["without dots", "Q U ZEMBLING"],
    ["joined", "QU Zembling"],
    ["joined, after the name", "ZEMBLING QU"],
    ["one of two", "Q. Zembling"],
    ["of the second word", "Zembling U."],
    ["with a title", "Mr. Q.U. Zembling"],
    ["with a misspelt family name", "Q.U. Zemblingg"],
    ["two letters for one of another script", "Yu.I. Drostig"],
    ["in another script", "Дростиг Ю.И."],
    ["joined letters that are a title too", "YI Drostig"],
    ["of another romanisation", "E. Zh. Vexilov"],
    ["of a person with many names", "E.Z. Vexilov"],
    ["of a given name that is a title too", "A.P. Okellin"],
    ["of three words", "A.P.T. Okellin"],
  ])("is in review: %s", (_, name) => {
    expect(verdictOf(party(name))).toBe("review");
  });

  it.each([
    ["a wrong second initial", "Q.X. Zembling"],
    ["a wrong first initial", "X.U. Zembling"],
    ["an initial too many", "Q.U.X. Zembling"],
    ["the same initial twice", "Q.Q. Zembling"],
    ["another order", "U.Q. Zembling"],
    ["joined wrong initials", "QX Zembling"],
    ["another word", "Q.U. Zembling Walker"],
    ["only a given name", "Q.Z. Ulvanov"],
    ["a common family name", "S.T. Karimol"],
    ["one initial and a short family name", "M. Szu"],
    ["a family name of two letters", "O.N. Li"],
    ["a weak alias", "H.P. Mosswicker"],
    ["a company's name", "Q.U. Tuvanor"],
    ["no initials", "Zembling"],
  ])("is clear with %s", (_, name) => {
    expect(verdictOf(party(name))).toBe("clear");
  });

  it("is in review regardless of other data", () => {
    const more = { date: "1999-01-01", countries: ["BR"] };
    expect(verdictOf(party("Q.U. Zembling", more))).toBe("review");
  });

  it("leaves the score unchanged, and returns the initials and the rarity", () => {
    const [hit] = matcher.match(party("Zembling Q.U."));
    expect(hit?.score).toBeLessThan(matcherConfig.bands.review);
    expect(hit?.reasons.at(-1)).toEqual({
      kind: "name",
      text: expect.stringMatching(
        /^name: initials of a listed name: zembling, q \(qorvath\), u \(ulvanovich\) \(rarity 1\.\d+, at least 1\.12\)$/,
      ),
      effect: 0,
    });
    const sum = hit?.reasons.reduce((total, reason) => total + reason.effect, 0);
    expect(sum).toBeCloseTo(hit?.score ?? 0, 3);
  });
});
