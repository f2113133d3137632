import { expect, it } from "vitest";
import { derivedId, eventId, isId, newId } from "./id.ts";

it("orders ids by time", () => {
  const early = newId("quote", new Date(1_000));
  const late = newId("quote", new Date(1_001));
  expect(early < late).toBe(true);
  expect(isId("quote", early)).toBe(true);
});

it("derives the payout of a quote and the event of a version", () => {
  const quote = newId("quote");
  const payout = derivedId("payout", quote);
  expect(payout).toBe(quote.replace("qt_", "po_"));
  expect(eventId(payout, 2)).toBe(`${quote.replace("qt_", "evt_")}_2`);
});

it.each([
  "",
  "qt_",
  "po_01hqxxxxxxxxxxxxxxxxxxxxxx",
  `qt_${"u".repeat(26)}`,
  `qt_${"0".repeat(27)}`,
])("does not take %j for a quote's id", (text) => {
  expect(isId("quote", text)).toBe(false);
});
