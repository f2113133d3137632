import { describe, expect, it } from "vitest";
import { cleanText, maskAllButLastFour, textProblem } from "./text.ts";
import { isCalendarDate } from "./time.ts";

describe("textProblem", () => {
  it.each([
    ["NUL", "a\u0000b", "must not contain control characters"],
    ["a line feed", "a\r\nb", "must not contain control characters"],
    ["a C1 control", "a\u0085b", "must not contain control characters"],
    ["an override", "a\u202eb", "must not contain bidirectional overrides"],
    ["a lone surrogate", "a\ud800b", "must be well-formed Unicode"],
    ["9 marks", `a${"\u0301".repeat(9)}`, "must not contain more than 8 combining marks in a row"],
    ["8 marks", `a${"\u0301".repeat(8)}`, undefined],
    ["a name in another script", "Владимир 王", undefined],
  ])("of %s", (_what, text, problem) => {
    expect(textProblem(text)).toBe(problem);
  });
});

it("cleans by trimming and composing", () => {
  expect(cleanText("  Jose\u0301 ")).toBe("José");
});

it.each([
  ["1234567890", "******7890"],
  ["12345", "*2345"],
  ["1234", "****"],
  ["", ""],
])("masks %s as %s", (text, masked) => {
  expect(maskAllButLastFour(text)).toBe(masked);
});

it.each([
  ["2024-02-29", true],
  ["2023-02-29", false],
  ["2023-02-30", false],
  ["2023-13-01", false],
  ["0000-01-01", false],
  ["2023-1-1", false],
  ["01-01-2023", false],
])("%s is a day: %s", (text, yes) => {
  expect(isCalendarDate(text)).toBe(yes);
});
