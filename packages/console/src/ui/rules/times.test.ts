import { expect, test } from "vitest";
import { countDownText, dayAfter, spanText, utcText } from "./times.ts";

test.each([
  [0, "0 s"],
  [59.9, "59 s"],
  [60, "1 min"],
  [3_661, "1 h 1 min"],
  [90_061, "1 d 1 h"],
])("formats %d seconds as %s", (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

test.each([
  [300_000, "5:00"],
  [299_001, "5:00"],
  [299_000, "4:59"],
  [1, "0:01"],
  [0, "0:00"],
  [-5, "0:00"],
])("formats a countdown of %d ms as %s", (ms, text) => {
  expect(countDownText(ms)).toBe(text);
});

test("returns the next day, also across months and years", () => {
  expect(dayAfter("2026-02-28")).toBe("2026-03-01");
  expect(dayAfter("2026-12-31")).toBe("2027-01-01");
});

test("formats a time in UTC", () => {
  expect(utcText("2026-11-20T11:26:00.123Z")).toBe("2026-11-20 11:26:00 UTC");
  expect(utcText("soon")).toBe("soon");
});
