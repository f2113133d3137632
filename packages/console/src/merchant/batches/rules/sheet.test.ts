import { expect, it } from "vitest";
import { readSheet } from "./sheet.ts";

const read = (text: string) => readSheet(new TextEncoder().encode(text));
const sheet = {
  header: ["Name", "Net pay"],
  rows: [
    { id: 2, cells: ["Jane Doe", "1,50"] },
    { id: 4, cells: ['John "J" Roe', "2.00"] },
  ],
};

it.each([
  ["commas", 'Name,Net pay\nJane Doe,"1,50"\n\n"John ""J"" Roe",2.00\n'],
  ["semicolons, CRLF", '"Name";Net pay\r\nJane Doe;1,50\r\n;\r\n"John ""J"" Roe";2.00\r\n'],
  ["tabs, a byte order mark", '\uFEFFName\tNet pay\nJane Doe\t1,50\n\t\n"John ""J"" Roe"\t2.00'],
  ["a named separator", 'sep=;\r\nName;Net pay\r\nJane Doe;1,50\r\n;\r\n"John ""J"" Roe";2.00'],
])("reads a file with %s, and numbers its rows as a spreadsheet does", (_, text) => {
  expect(read(text)).toEqual(sheet);
});

it("keeps a line break within quotes in its cell", () => {
  const found = read('Name,Note\nJane,"one\ntwo"\nJohn,x');
  expect(found).toMatchObject({ rows: [{ cells: ["Jane", "one\ntwo"] }, { id: 3 }] });
});

it("removes the escape of formulas only from the platform's files of failed lines", () => {
  expect(read("failure_message,a\nx,'=1\n")).toMatchObject({ rows: [{ cells: ["x", "=1"] }] });
  expect(read("b,a\nx,'=1\n")).toMatchObject({ rows: [{ cells: ["x", "'=1"] }] });
});

const bytesOf = (text: string, encode: (code: number) => number[]) =>
  new Uint8Array([...text].flatMap((each) => encode(each.codePointAt(0) ?? 0)));

it.each([
  ["UTF-16 with a mark", bytesOf("\uFEFFName,Pay", (code) => [code & 255, code >> 8])],
  ["UTF-16 without a mark", bytesOf("Name,Pay\na,1", (code) => [code & 255, code >> 8])],
  ["Latin-1", bytesOf("Name,Pay\nJosé,1", (code) => [code])],
])("refuses %s", (_, bytes) => {
  expect(readSheet(bytes)).toEqual({ problem: "notText" });
});

it.each([
  ["", { problem: "noRows" }],
  ["Name,Pay\n", { problem: "noRows" }],
  ["Name,Pay\nJane\n", { problem: "cells", row: 2 }],
  ["Name,Pay\nJane,1\nJohn,1,234.50\n", { problem: "cells", row: 3 }],
  ["Name,Pay,\nJane,1,234.50\n", { problem: "cells", row: 2 }],
  ['Name,Pay\nJane,1\n"John"x,2\n', { problem: "quotes", row: 3 }],
  [`Name\n${"a\n".repeat(10_001)}`, { problem: "tooManyRows" }],
  [`Name\n${"a".repeat(8 * 1024 * 1024)}`, { problem: "tooLarge" }],
])("refuses the file %#", (text, problem) => {
  expect(read(text)).toEqual(problem);
});

it("reads 10,000 rows, and empty columns at the end", () => {
  const found = read(`Name,Pay,\n${"Jane,1,\n".repeat(10_000)}`);
  expect("rows" in found && found.rows.length).toBe(10_000);
});
