import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bankText,
  cutToFit,
  isBankReference,
  isShown,
  partyTextProblem,
} from "./swift-characters.ts";

describe("text for a bank", () => {
  it.each([
    ["Łódź Çelik Ñandú", "Lodz Celik Nandu"],
    ["Смирнов", "Smirnov"],
    ["Παύλου", "Pavlou"],
    ["Jane 😀 Doe™", "Jane Doe"],
    ["請求書 12", "... 12"],
    ["Müller & Co. [GmbH] #1", "Muller + Co. .GmbH. .1"],
    ["a\n b\tc", "a b c"],
    ["Straße_5 @home", "Strasse.5 .home"],
    ["re\u0301sume\u0301", "resume"],
  ])("%j is %j in SWIFT's characters", (text, written) => {
    expect(bankText(text, "swift")).toBe(written);
  });

  it("has every letter where the bank takes UTF-8, but no emoji", () => {
    expect(bankText("Łódź & 東京 😀", "utf-8")).toBe("Łódź & 東京");
  });

  it.each([
    ["山田", "swift", "has letters without a safe romanisation"],
    ["山田", "utf-8", undefined],
    ["Юлия ★", "swift", undefined],
    ["A\uffff", "utf-8", "has a character that XML cannot carry"],
  ] as const)("%j of a party in %s: %s", (text, characters, problem) => {
    expect(partyTextProblem(text, characters)).toBe(problem);
  });

  it("has nothing outside of SWIFT's characters, and writing it again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const written = bankText(text, "swift");
        expect(written).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]*$/);
        expect(bankText(written, "swift")).toBe(written);
      }),
    );
  });

  it.each([
    ["ABC/12-3", true],
    ["A".repeat(35), true],
    ["A".repeat(36), false],
    ["/A", false],
    ["A/", false],
    ["A//B", false],
    ["A_B", false],
    [" A", false],
    ["", false],
  ])("%j as a reference: %s", (text, expected) => {
    expect(isBankReference(text)).toBe(expected);
  });
});

it.each([
  ["as it was where it fits", "Weiß & Söhne", "swift", 13, "Weiß & Söhne"],
  ["where it is longer once it is transliterated", "Weiß", "swift", 4, "Weis"],
  ["not where the bank takes it as it is", "Weiß", "utf-8", 4, "Weiß"],
  ["without a blank at its end", "Invoice 1001", "swift", 8, "Invoice"],
] as const)("a text is cut, %s", (_how, text, characters, max, written) => {
  expect(cutToFit(text, characters, max)).toBe(written);
});

it.each([
  ["Invoice 1", "swift", true],
  ["請求書", "swift", false],
  ["請求書", "utf-8", true],
  ["😀", "utf-8", false],
  ["", "swift", false],
] as const)("%j in %s has something to show: %s", (text, characters, expected) => {
  expect(isShown(text, characters)).toBe(expected);
});
