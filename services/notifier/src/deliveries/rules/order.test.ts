import { expect, it } from "vitest";
import type { DeliveryOrder } from "../../endpoints/rules/endpoint.ts";
import type { DeliveryState } from "./delivery.ts";
import {
  arrivalMatters,
  blocksNext,
  givesUpAt,
  heldUntil,
  isGivenUp,
  type OrderedDelivery,
  recheckAt,
  withoutBound,
} from "./order.ts";

const createdAt = new Date("2026-11-20T00:00:00.000Z");
const one = (
  sequence: number,
  state: DeliveryState = "pending",
  attempts = 0,
): OrderedDelivery => ({
  id: `whd_${sequence}`,
  sequence,
  state,
  attempts,
  createdAt,
});
const after = (seconds: number): Date => new Date(createdAt.getTime() + seconds * 1_000);

it.each<[string, OrderedDelivery, OrderedDelivery[], boolean, Date | undefined]>([
  ["the first waits for nothing", one(1), [], false, undefined],
  ["no delivery waits for a later one", one(1), [one(2)], false, undefined],
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
  const waiter = { ...delivery, order: "bounded" } as const;
  expect(heldUntil(waiter, [...line, delivery], "payout_session", arrived)).toEqual(expected);
});

it("waits only briefly for a number that another publisher may have skipped", () => {
  const waiter = { ...one(7), order: "bounded" } as const;
  expect(heldUntil(waiter, [], "payment_session", false)).toEqual(after(5));
  expect(heldUntil(waiter, [one(3)], "payment_session", false)).toEqual(after(30));
});

it.each<[string, DeliveryOrder, OrderedDelivery[], boolean, Date | undefined]>([
  ["none waits for nothing", "none", [one(1)], false, undefined],
  [
    "strict waits for one that was tried often",
    "strict",
    [one(1, "pending", 9)],
    true,
    withoutBound,
  ],
  ["strict waits for one that has not arrived", "strict", [], false, withoutBound],
  [
    "strict waits no longer for one exhausted",
    "strict",
    [one(1, "exhausted", 15)],
    true,
    undefined,
  ],
  ["strict waits no longer for one delivered", "strict", [one(1, "delivered", 1)], true, undefined],
])("%s", (_name, order, line, arrived, expected) => {
  expect(heldUntil({ ...one(2), order }, line, "payout_session", arrived)).toEqual(expected);
});

it.each(["bounded", "strict"] as const)(
  "waits in %s order for opt-in events that are there alone",
  (order) => {
    const waiter = { ...one(7), order };
    expect(heldUntil(waiter, [], "account.credited", false)).toBeUndefined();
    expect(heldUntil(waiter, [one(3)], "account.credited", false)).toBeDefined();
  },
);

it("in strict order is never released without a recheck, also if numbers may have gaps", () => {
  const waiter = { ...one(2), order: "strict" } as const;
  expect(heldUntil(waiter, [], "refund", false)).toEqual(withoutBound);
});

it.each<[string, DeliveryOrder, OrderedDelivery[], string, number, boolean]>([
  ["a number that may have been left out", "strict", [], "refund", 299, false],
  ["the same, 5 minutes later", "strict", [], "refund", 300, true],
  ["a payout's version", "strict", [], "payout_session", 86_399, false],
  ["the same, a day later", "strict", [], "payout_session", 86_400, true],
  ["one that is there and pending", "strict", [one(1)], "refund", 999_999, false],
  ["one that is there and has ended", "strict", [one(1, "exhausted")], "refund", 300, true],
  ["one that a bound holds anyway", "bounded", [], "refund", 999_999, false],
])("gives up waiting for %s: strict alone", (_name, order, line, type, waited, expected) => {
  const all = [...line, one(3), one(4)];
  expect(isGivenUp({ ...one(3), order }, all, type, after(waited))).toBe(expected);
});

it.each<[OrderedDelivery, DeliveryOrder, boolean]>([
  [one(1, "pending", 2), "bounded", true],
  [one(1, "pending", 3), "bounded", false],
  [one(1, "pending", 3), "strict", true],
  [one(1, "pending"), "none", false],
  [one(1, "delivered", 1), "strict", false],
])("%j holds up the ones behind it in the order %s: %s", (delivery, order, expected) => {
  expect(blocksNext(delivery, order)).toBe(expected);
});

it("rechecks just when a wait is given up", () => {
  const givesUp = givesUpAt(createdAt, "refund");
  expect(recheckAt(createdAt, after(250), givesUp)).toEqual(after(300));
  expect(recheckAt(createdAt, after(300), givesUp)).toEqual(after(450));
});

it.each([
  ["at first", 0, 30],
  ["later", 100, 150],
  ["at last", 90_000, 90_600],
])("rechecks %s", (_when, waited, next) => {
  expect(recheckAt(createdAt, after(waited))).toEqual(after(next));
});

it("recomputes waits on arrival only for types whose numbers may have gaps", () => {
  expect(arrivalMatters("payout_session")).toBe(false);
  expect(arrivalMatters("refund")).toBe(true);
  expect(arrivalMatters("account.credited")).toBe(false);
});
