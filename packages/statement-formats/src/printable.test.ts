import { expect, it } from "vitest";
import { printable, printableName } from "./printable.ts";

it.each([
  ["Jane O’Neill & Söhne, ₹ 1,000.00", "Jane O’Neill & Söhne, ₹ 1,000.00"],
  ["Ελένη Παπαδοπούλου", "Ελένη Παπαδοπούλου"],
  ["Иван Петров", "Иван Петров"],
  ["e\u0301", "é"],
  ["深圳", "ShenZhen"],
  ["आदित्य", "adity"],
  ["שלום", "slvm"],
  ["Jane 😀 Doe™", "Jane Doe"],
])("%s is shown as %s", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it("shows nothing that the font lacks", () => {
  expect(printable("a😀b\u{1D400}")).toMatch(/^[ -~]+$/);
});

it.each([
  ["Юлия Щеглова", "Yulia Scheglova", "Юлия Щеглова"],
  ["Ελένη", "", "Ελένη"],
  ["Jane 😀", "", "Jane"],
  ["", "", ""],
  [
    "山田太郎",
    "Yamada Taro",
    "Yamada Taro (in Latin letters; this document cannot show the original)",
  ],
  ["深圳", "", "ShenZhen (in Latin letters; this document cannot show the original)"],
])("the name %s with the Latin letters %j is %s", (name, latin, shown) => {
  expect(printableName(name, latin)).toBe(shown);
});
