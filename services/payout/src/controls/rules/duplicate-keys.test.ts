import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { duplicateKeys } from "./duplicate-keys.ts";

const keys = (referenceId: string, ...destinations: string[]) =>
  duplicateKeys(destinations.length === 0 ? ["account"] : destinations, referenceId);
const haveOne = (one: readonly string[], other: readonly string[]) =>
  one.some((each) => other.includes(each));

describe("a reference", () => {
  it.each<[what: string, written: string]>([
    ["in another case", "Invoice-042A"],
    ["with blanks around and within", "  invoice - 042\u00a0a\t"],
    ["with an ideographic space", "invoice-\u3000042a"],
    ["in full-width letters", "ｉｎｖｏｉｃｅ－０４２ａ"],
    ["in mathematical letters", "𝐢𝐧𝐯𝐨𝐢𝐜𝐞-𝟎𝟒𝟐𝐚"],
    ["with a zero-width space", "inv\u200boice-042a"],
    ["with a zero-width joiner", "inv\u200doice-042a"],
    ["with a byte-order mark", "\ufeffinvoice-042a"],
    ["with a soft hyphen", "in\u00advoice-042a"],
    ["with a word joiner", "invoice\u2060-042a"],
    ["with a variation selector", "invoice\ufe0f-042a"],
    ["with a Hangul filler", "invoice\u3164-042a"],
    ["with a direction mark", "invoice-042a\u200e"],
    ["with Cyrillic letters", "invоiсе-042а"],
    ["with Cyrillic capitals", "INVОIСЕ-042А"],
    ["with Greek letters", "invοιce-042α"],
    ["with Greek capitals", "ΙΝVΟΙCΕ-042Α"],
    ["with Armenian letters", "iոvօice-042a"],
    ["with a Cherokee letter", "Ꭵnvoice-042a"],
    ["with small capitals", "inᴠoiᴄe-042a"],
    ["with a dotless i", "ınvoice-042a"],
    ["with another hyphen", "invoice\u2011042a"],
    ["with an en dash", "invoice–042a"],
    ["with a minus sign", "invoice\u2212042a"],
    ["with a letter for a digit", "invoice-O42a"],
    ["with a digit for a letter", "1nvoice-042a"],
  ])("%s is the same", (_what, written) => {
    expect(haveOne(keys("invoice-042a"), keys(written))).toBe(true);
  });

  it.each<[one: string, other: string]>([
    ["invoice-042a", "invoice-043a"],
    ["invoice-042a", "invoice-0042a"],
    ["invoice-042a", "invoice042a"],
    ["order-1", "order-2"],
    ["счёт-5", "счёт-6"],
    ["請求書-1", "請求書-2"],
    ["café", "cafe"],
  ])("%s is not %s", (one, other) => {
    expect(haveOne(keys(one), keys(other))).toBe(false);
  });

  it.each<[one: string, other: string]>([
    ["НОМЕР-7", "номер-7"],
    ["ΛΌΓΟΣ-7", "λόγος-7"],
    ["STRASSE-7", "straße-7"],
    ["cafe\u0301", "café"],
    ["№7", "No7"],
  ])("%s is %s", (one, other) => {
    expect(haveOne(keys(one), keys(other))).toBe(true);
  });

  it("of unseen characters alone is one; none at all has no key", () => {
    expect(haveOne(keys("\u200b"), keys("\u200d\u200d"))).toBe(true);
    expect(keys("")).toEqual([]);
  });

  it("in any case, with any white space, is the same", () => {
    const letters = [
      ...["a", "Z", "ß", "ς", "Σ", "й", "Ж", "é", "ΐ", "ı", "漢", "٥", "ﬁ"],
      ..."0OlI-/",
    ];
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 20 });
    const blank = fc.constantFrom(" ", "\u00a0", "\u200b", "\u2009");
    fc.assert(
      fc.property(text, blank, fc.nat(20), (written, unseen, at) => {
        const other = `${written.slice(0, at)}${unseen}${written.slice(at)}`;
        expect(haveOne(keys(written), keys(written.toUpperCase()))).toBe(true);
        expect(haveOne(keys(written), keys(other))).toBe(true);
      }),
    );
  });
});

it("payouts to other destinations have no key in common, those with one in common have one", () => {
  expect(haveOne(keys("r", "a"), keys("r", "b"))).toBe(false);
  // Hashes before and after a rotation of the key.
  expect(haveOne(keys("r", "a2", "a1"), keys("r", "a1"))).toBe(true);
  expect(haveOne(keys("r", "a"), keys("q", "a"))).toBe(false);
  expect(keys("r", "a")[0]).toMatch(/^[\w-]{22}$/);
});
