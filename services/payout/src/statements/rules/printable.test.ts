import { expect, it } from "vitest";
import { printable } from "./printable.ts";

it.each([
  ["Jane O’Neill & Söhne, ₹ 1,000.00", "Jane O’Neill & Söhne, ₹ 1,000.00"],
  ["Ελένη Παπαδοπούλου", "Ελένη Παπαδοπούλου"],
  ["Иван Петров", "Иван Петров"],
  ["e\u0301", "é"],
  ["深圳", "ShenZhen"],
  ["आदित्य", "adity"],
  ["שלום", "slvm"],
])("%s is shown as %s", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it("shows nothing that the font lacks", () => {
  expect(printable("a😀b\u{1D400}")).toMatch(/^[ -~]+$/);
});
