import { describe, expect, it } from "vitest";
import { person } from "../../test-lists.ts";
import type { ListEntry } from "./entry.ts";
import { covers, isDailyRemoval, retainedForms } from "./retained.ts";

const entry: ListEntry = {
  ...person("1"),
  names: [
    { name: "Orlan Vessikar", kind: "primary" },
    { name: "Orlan", kind: "weak" },
  ],
  births: ["1961"],
  countries: ["RU"],
  documents: [
    { type: "Passport", number: "P12345", country: "RU" },
    { type: "SWIFT/BIC", number: "ZOTVRUMM", country: "" },
  ],
  wallets: [{ currency: "XBT", address: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" }],
};
const [primary, weak] = entry.names;
const { documents } = entry;
const asOther = (document: ListEntry["documents"][number]) => ({ ...document, type: "Other" });
if (primary === undefined || weak === undefined) throw new Error("no names");

describe("an entry covers its earlier form", () => {
  it.each<[string, Partial<ListEntry>]>([
    ["the same", {}],
    ["more names", { names: [...entry.names, { name: "Arlan", kind: "alias" }] }],
    ["names in another order", { names: [weak, primary] }],
    ["more dates", { births: ["1961", "1963-02-01"] }],
    ["more countries", { countries: ["BY", "RU"] }],
    ["other programmes", { programs: ["ANY"], source: "EU" }],
  ])("with %s", (_what, change) => {
    expect(covers({ ...entry, ...change }, entry)).toBe(true);
  });

  it.each<[string, Partial<ListEntry>]>([
    ["another type", { type: "entity" }],
    ["a name less", { names: [primary] }],
    ["a name that is weak now", { names: [{ ...primary, kind: "weak" }, weak] }],
    ["no date", { births: [] }],
    ["another date", { births: ["1962"] }],
    ["another country", { countries: ["BY"] }],
    ["no document", { documents: [] }],
    ["a BIC that is called another number", { documents: documents.map(asOther) }],
    ["no wallet", { wallets: [] }],
  ])("but not with %s", (_what, change) => {
    expect(covers({ ...entry, ...change }, entry)).toBe(false);
  });

  it("but not with a first date or country, which can contradict", () => {
    const bare = { ...entry, births: [], countries: [] };
    expect(covers({ ...bare, births: ["1961"] }, bare)).toBe(false);
    expect(covers({ ...bare, countries: ["RU"] }, bare)).toBe(false);
  });
});

it("retains each form once that the list does not cover", () => {
  const renamed = { ...entry, names: [weak] };
  const published = Map.groupBy([renamed], ({ uid }) => uid);
  const gone = person("2");
  expect(retainedForms([entry, renamed, gone, { ...gone }, entry], published)).toEqual([
    entry,
    gone,
  ]);
});

it.each([
  [0, 0, true],
  [1, 10, true],
  [2, 10, false],
  [2, 100, true],
  [3, 100, false],
  [434, 21_717, true],
  [435, 21_717, false],
])("%d of %d entries within a day: %s", (removed, of, may) => {
  expect(isDailyRemoval(removed, of)).toBe(may);
});
