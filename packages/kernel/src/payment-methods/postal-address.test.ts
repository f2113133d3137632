import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { givenText, hasPostcodes, hybridAddress, needsState } from "./postal-address.ts";

it.each([
  ["US CA AU BR IN MX CN JP IT UA", true],
  ["DE GB FR NL SG HK AE PT XK NZ", false],
])("addresses of %s need a state: %s", (countries, expected) => {
  for (const country of countries.split(" ")) expect(needsState(country), country).toBe(expected);
});

it.each([
  ["HK AE AO BS JM QA ZW", false],
  ["DE US IN GB SG IE XK JP", true],
])("addresses of %s have a postcode: %s", (countries, expected) => {
  for (const country of countries.split(" ")) expect(hasPostcodes(country), country).toBe(expected);
});

it("leaves placeholders out", () => {
  expect(["-", "N/A", "NY", ""].map(givenText)).toEqual(["", "", "NY", ""]);
});

describe("a hybrid address", () => {
  const word = (length: number) => "a".repeat(length);

  it("is a structured one where all parts fit their elements", () => {
    const parts = { street: word(70), state: word(35) };
    expect(hybridAddress(parts)).toEqual({ street: word(70), state: word(35), lines: [] });
  });

  it("has a street of more than 70 characters in its lines", () => {
    const street = `${word(60)} ${word(20)}`;
    expect(hybridAddress({ street, state: "NY" })).toEqual({
      street: "",
      state: "NY",
      lines: [word(60), word(20)],
    });
  });

  it("has a state of more than 35 characters in a line", () => {
    const state = "Dadra and Nagar Haveli and Daman and Diu";
    expect(hybridAddress({ street: "1 Fort Road", state })).toEqual({
      street: "1 Fort Road",
      state: "",
      lines: [state],
    });
  });

  it("has both in two lines, if they fit", () => {
    const state = word(36);
    expect(hybridAddress({ street: word(102), state })?.lines).toEqual([
      word(70),
      `${word(32)}, ${state}`,
    ]);
    expect(hybridAddress({ street: word(103), state })).toBeUndefined();
  });

  it.each([
    [71, ["70", "1"]],
    [140, ["70", "70"]],
    [141, undefined],
  ])("of a street of %i characters without a blank has lines of %s", (length, lines) => {
    const found = hybridAddress({ street: word(length), state: "" })?.lines;
    expect(found?.map((line) => String(line.length))).toEqual(lines);
  });

  it("loses no character, in lines of 70 at most", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "b."), maxLength: 140 });
    fc.assert(
      fc.property(text, (written) => {
        const street = written.replace(/ +/g, " ").trim();
        const found = hybridAddress({ street, state: "" });
        if (street.length > 140) return expect(found).toBeUndefined();
        const all = [found?.street, ...(found?.lines ?? [])].join("");
        expect(all.replaceAll(" ", "")).toBe(street.replaceAll(" ", ""));
        for (const line of found?.lines ?? []) expect(line.length).toBeLessThanOrEqual(70);
      }),
    );
  });
});
