import { expect, it } from "vitest";
import { datesInWords, partialDate, yearSpan } from "./listed-date.ts";

it.each([
  ["08 Sep 1966", ["1966-09-08"]],
  ["8 September 1966", ["1966-09-08"]],
  ["Sep 1966", ["1966-09"]],
  ["Nov. 1973", ["1973-11"]],
  ["1966", ["1966"]],
  ["circa 1965", ["1965"]],
  ["circa 07 Jul 1966", ["1966"]],
  ["1958 to 1960", ["1958", "1959", "1960"]],
  ["circa 1958-1959", ["1958", "1959"]],
  ["01 Jan 1960 to 31 Dec 1961", ["1960", "1961"]],
  ["Between Aug. and Sep. 1977", undefined],
  ["31 Feb 1966", undefined],
  ["24/06/1402", undefined],
  ["1961 to 1958", undefined],
  ["1800 to 1999", undefined],
  ["1958, 1960, 1962", undefined],
  ["30-35 years old", undefined],
  ["", undefined],
])("reads %s as %j", (text, dates) => expect(datesInWords(text)).toEqual(dates));

it.each([
  ["1966", "9", "8", "1966-09-08"],
  ["1966", "09", "00", "1966-09"],
  ["1966", "00", "08", "1966"],
  ["1966", "mm", "dd", "1966"],
  ["1966", "13", "08", undefined],
  ["1966", "02", "30", undefined],
  ["0000", "01", "01", undefined],
  ["", "01", "01", undefined],
])("makes of %s, %s, %s the date %s", (year, month, day, date) =>
  expect(partialDate(year, month, day)).toBe(date),
);

it("spans at most sixty years", () => {
  expect(yearSpan("1940", "1999")).toHaveLength(60);
  expect(yearSpan("1940", "2000")).toBeUndefined();
  expect(yearSpan("1940", "1940")).toEqual(["1940"]);
});
