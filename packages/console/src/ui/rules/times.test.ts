import { expect, test } from "vitest";
import { countDownText, daysOf, endOf, spanText, startOf, utcText } from "./times.ts";

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

test("a day ends when the next begins, also across months and years", () => {
  expect(endOf("2026-02-28")).toEqual(startOf("2026-03-01"));
  expect(endOf("2026-12-31")).toEqual(startOf("2027-01-01"));
});

test.each([
  ["today", "2026-03-01", "2026-03-01"],
  ["week", "2026-02-23", "2026-03-01"],
  ["month", "2026-03-01", "2026-03-01"],
  ["lastMonth", "2026-02-01", "2026-02-28"],
] as const)("%s is from %s to %s", (period, from, to) => {
  expect(daysOf(period, new Date("2026-03-01T23:59:59"))).toEqual([from, to]);
  expect(daysOf(period, new Date("2026-03-01T00:00:00"))).toEqual([from, to]);
});

test("formats a time in UTC", () => {
  expect(utcText("2026-11-20T11:26:00.123Z")).toBe("2026-11-20 11:26:00 UTC");
  expect(utcText("soon")).toBe("soon");
});
