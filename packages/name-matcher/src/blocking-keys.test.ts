import { describe, expect, it } from "vitest";
import { entryBlockingKeys, partyBlockingKeys } from "./blocking-keys.ts";
import type { EntryType, NamedEntry } from "./entry.ts";

const entry = (type: EntryType, name: string, more: Partial<NamedEntry> = {}): NamedEntry => ({
  ...{ type, names: [{ name, kind: "primary" }], births: [] },
  ...{ countries: [], documents: [], ...more },
});
const keysOf = (type: EntryType, name: string, numbers: readonly string[] = []) => {
  const documents = numbers.map((number) => ({ number, country: "" }));
  return new Set(partyBlockingKeys({ type, name, date: "", countries: [], documents }));
};
const shares = (keys: ReadonlySet<string>, listed: NamedEntry) =>
  !keys.isDisjointFrom(entryBlockingKeys(listed));

describe("a party shares a key with an entry", () => {
  it.each([
    ["of the same name", "Qorvath Zembling", "ZEMBLING, Qorvath"],
    ["of a name that is one letter off", "Qorvath Bembling", "Zembling"],
    ["of a name in other letters", "Зеликов", "Zelikov"],
    ["of a name in another romanisation", "Mohammed", "Muhamad"],
    ["that writes its name in two words", "Abdullah", "Abd Ullah"],
    ["that writes its name in one word", "Qor Vath", "Qorvath"],
    ["that writes its name in one word, and differently", "Qorulem", "Qor Ullem"],
    ["that writes as one word what reads differently in two", "Mykhava", "Myk Hava"],
    ["of three words as one", "Zemblingqorvathulvan", "Qorvath Ulvan Zembling"],
    ["of three words as one, in other vowels", "Zamblongqurvethalvun", "Qorvath Ulvan Zembling"],
    ["with spaces between its letters", "Q o r v a t h Z e m b l i n g", "Qorvath Zembling"],
    ["with dots between its letters", "Q.O.R.V.A.T.H. Harlan", "Qorvath"],
  ])("%s", (_what, party, listed) => {
    expect(shares(keysOf("individual", party), entry("individual", listed))).toBe(true);
  });

  it("of the same name, with a different stated type", () => {
    const listed = entry("individual", "ZEMBLING, Qorvath");
    expect(shares(keysOf("entity", "Qorvath Zembling"), listed)).toBe(true);
  });

  it.each([
    ["a person as a company", "entity", "Qorvath Zembling Trading LLC", "individual"],
    ["a company as a person", "individual", "Anna Qorvath Zembling", "entity"],
    ["with one letter off", "entity", "Qorvath Zemblink GmbH", "individual"],
    ["joined", "entity", "Qorvathzembling GmbH", "individual"],
    ["split", "entity", "Qor Vath Zem Bling GmbH", "individual"],
    ["with a space elsewhere", "individual", "Anna Qorv Athzembling", "entity"],
    ["with digits for letters", "individual", "Anna Q0rvath Zemb1ing", "entity"],
  ] as const)("of another type whose name it contains: %s", (_, type, name, listed) => {
    expect(shares(keysOf(type, name), entry(listed, "Zembling, Qorvath"))).toBe(true);
  });

  it("of the parts of a listed name before and in its brackets", () => {
    const listed = entry("entity", "Mosswick Unlisted (also Qorvath Zembling)");
    expect(shares(keysOf("entity", "Qorvathzembling"), listed)).toBe(true);
  });

  it("of the same document, with any stated type", () => {
    const documents = [{ number: "AB 123-456", country: "" }];
    const listed = entry("individual", "Ulvanka Drostig", { documents });
    expect(shares(keysOf("entity", "Harlan Bakery", ["ab123456"]), listed)).toBe(true);
  });

  it("of the same document, however it is written", () => {
    const documents = [{ number: "AB 123-456", country: "" }];
    const listed = entry("individual", "Ulvanka Drostig", { documents });
    expect(shares(keysOf("individual", "Harlan Mosswick", ["ab123456"]), listed)).toBe(true);
  });
});

describe("a party shares no key with an entry", () => {
  it.each([
    ["of another name", "individual", "Qorvath Zembling", "Ulvanka Drostig"],
    ["of another type", "entity", "Mosswick Trading", "Qorvath Zembling"],
    ["with which it has but a title in common", "individual", "Dr Harlan", "Dr Ulvanka"],
  ] as const)("%s", (_what, type, party, listed) => {
    expect(shares(keysOf(type, party), entry("individual", listed))).toBe(false);
  });
});
