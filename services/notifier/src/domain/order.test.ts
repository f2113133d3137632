import { expect, it } from "vitest";
import type { DeliveryState } from "./delivery.ts";
import { heldUntil, type InLine } from "./order.ts";

const createdAt = new Date("2026-11-20T00:00:00.000Z");
const one = (sequence: number, state: DeliveryState = "pending", attempts = 0): InLine => ({
  id: `whd_${sequence}`,
  sequence,
  state,
  attempts,
  createdAt,
});
const after = (seconds: number): Date => new Date(createdAt.getTime() + seconds * 1_000);

it.each<[string, InLine, InLine[], boolean, Date | undefined]>([
  ["the first waits for nothing", one(1), [], false, undefined],
  ["nobody waits for one behind", one(1), [one(2)], false, undefined],
  ["one not attempted yet", one(2), [one(1)], true, after(30)],
  ["one attempted twice", one(2), [one(1, "pending", 2)], true, after(30)],
  ["one attempted three times", one(2), [one(1, "pending", 3)], true, undefined],
  ["one delivered", one(2), [one(1, "delivered", 1)], true, undefined],
  ["one exhausted", one(2), [one(1, "exhausted", 15)], true, undefined],
  ["one cancelled", one(2), [one(1, "cancelled")], true, undefined],
  ["an earlier one than the one before", one(3), [one(1), one(2, "delivered", 1)], true, after(30)],
  ["one before that went to no endpoint", one(2), [], true, undefined],
  ["one before that has not arrived", one(2), [], false, after(30)],
])("%s", (_name, delivery, line, arrived, expected) => {
  expect(heldUntil(delivery, [...line, delivery], "payout_session", arrived)).toEqual(expected);
});

it("waits only briefly for a number that another publisher may have left out", () => {
  expect(heldUntil(one(7), [], "payment_session", false)).toEqual(after(5));
  expect(heldUntil(one(7), [one(3)], "payment_session", false)).toEqual(after(30));
});
