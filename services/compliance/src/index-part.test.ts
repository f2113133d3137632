import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entryTypes } from "./domain/list-entry.ts";
import { type IndexPart, needsLine, partsFor, placesOf } from "./index-part.ts";
import { entryLine } from "./list-chunks.ts";
import { type person, personParty, version } from "./test-lists.ts";

/** Texts that look like what a line is told by. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('"type":"individual","uid":"', '","wallets":[]}', "individual", "\\", '\\"'),
);
const entry = fc.record({
  uid: fc.string({ minLength: 1 }),
  source: text,
  type: fc.constantFrom(...entryTypes),
  names: fc.array(fc.record({ name: text, kind: fc.constantFrom("primary", "weak") }), {
    minLength: 1,
    maxLength: 3,
  }),
  births: fc.array(text, { maxLength: 2 }),
  countries: fc.array(text, { maxLength: 2 }),
  documents: fc.array(fc.record({ type: text, number: text, country: text }), { maxLength: 2 }),
  wallets: fc.array(fc.record({ currency: text, address: text }), { maxLength: 2 }),
  programs: fc.array(text, { maxLength: 2 }),
});

describe("a part of an index", () => {
  it("takes the lines of its entries, whatever texts are in them", () => {
    const property = fc.property(entry, (one) => {
      const line = entryLine(one as ReturnType<typeof person>);
      const isPerson = one.type === "individual";
      expect(needsLine("all", line)).toBe(true);
      expect(needsLine("persons", line)).toBe(isPerson || one.wallets.length > 0);
      expect(needsLine("others", line)).toBe(!isPerson);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("is asked about its own, and each party and wallet is asked about once", () => {
    const parties = entryTypes.map((type) => ({ ...personParty("nobody"), type }));
    const wallet = { families: [], address: "" };
    const request = { parties, wallets: [wallet, wallet] };
    const asked = (part: IndexPart) => placesOf(request, part);
    expect(asked("all")).toEqual([0, 1, 2, 3, 4, 5]);
    expect(asked("persons")).toEqual([0, 4, 5]);
    expect(asked("others")).toEqual([1, 2, 3]);
    expect(placesOf({ parties: [], wallets: [] }, "persons")).toEqual([]);
  });

  it.each([
    [2, [524_288], ["persons", "others"]],
    [2, [524_287], ["all"]],
    [2, [262_144, 262_144], ["persons", "others"]],
    [1, [5_000_000], ["all"]],
    [8, [], ["all"]],
  ])(
    "is one of as many as %d cores and chunks of %j bytes are worth: %j",
    (cores, sizes, parts) => {
      const lists = sizes.map((size) => ({
        version: version("l", "1"),
        chunks: [{ id: "", bytes: new Uint8Array(size) }],
      }));
      expect(partsFor(lists, cores)).toEqual(parts);
    },
  );
});
