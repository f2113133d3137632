import { expect, it } from "vitest";
import { derivedId, eventId, hashedId, isId, newId, otherKindProblem } from "./id.ts";

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

it("names by a hash: equal ids for equal hashes, and for no others", () => {
  const hash = Uint8Array.from({ length: 32 }, (_each, at) => at);
  expect(isId("alert", hashedId("alert", hash))).toBe(true);
  expect(hashedId("alert", hash)).toBe(hashedId("alert", hash.slice()));
  expect(hashedId("alert", hash)).not.toBe(hashedId("alert", hash.with(25, 26)));
  expect(() => hashedId("alert", hash.subarray(0, 25))).toThrow("at least 26 bytes");
});

it.each([
  "",
  "qt_",
  "po_01hqxxxxxxxxxxxxxxxxxxxxxx",
  `qt_${"u".repeat(26)}`,
  `qt_${"0".repeat(27)}`,
])("does not accept %j as a quote's id", (text) => {
  expect(isId("quote", text)).toBe(false);
});

it("names the kind of an id that is of another kind", () => {
  expect(otherKindProblem("beneficiary", newId("account"))).toBe(
    "is the id of an account, not of a beneficiary",
  );
  expect(otherKindProblem("payout", "spo_1")).toBe(
    "is the id of a scheduled payout, not of a payout",
  );
  for (const text of ["ben_1", "ben", "acc", "acct_1", "x_acc_1", ""]) {
    expect(otherKindProblem("beneficiary", text)).toBeUndefined();
  }
});
