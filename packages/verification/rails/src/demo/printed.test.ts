import { expect, it } from "vitest";
import { fileLines } from "./printed.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

it("shows a line for each group of elements with values, and the currency of an amount", () => {
  const text =
    '<?xml version="1.0"?>\n<Document><Stmt><Id>S1</Id><Ntry><Amt Ccy="USD">1.00</Amt><Sts><Cd>BOOK</Cd></Sts></Ntry></Stmt></Document>';
  expect(fileLines(bytes(text))).toEqual([
    "  Stmt: Id S1",
    "    Ntry: Amt 1.00 USD",
    "      Sts: Cd BOOK",
  ]);
});

it("shows the records of a NACHA file, but for those that fill it up", () => {
  expect(fileLines(bytes(`101 A\n5200\n9000001\n${"9".repeat(94)}\n`))).toEqual([
    "101 A",
    "5200",
    "9000001",
  ]);
});

it("says how much of a long file is not shown", () => {
  const lines = Array.from({ length: 30 }, (_each, at) => `6 ${at}`);
  expect(fileLines(bytes(`101\n${lines.join("\n")}\n`)).at(-1)).toBe("… 7 lines more");
});
