import { expect, it } from "vitest";
import { createRecentEvents } from "./recent-events.ts";

const event = (sequence: number, endpoint_ids: string[], of: object = {}) => ({
  ...{ merchant_id: "m", transaction_type: "payout_session", transaction_id: "po", sequence },
  ...{ endpoint_ids, ...of },
});
const delivery = (sequence: number, of: object = {}) => {
  return { ...event(sequence, []), endpoint_id: "a", replay: 0, ...of };
};

it("a transaction's first event is next", () => {
  expect(createRecentEvents().isNext(delivery(1))).toBe(true);
});

it.each([
  ["are all stored, for other endpoints", [event(1, []), event(2, ["b"])], true],
  ["are not all stored", [event(2, ["b"])], false],
  ["go to the same endpoint", [event(1, ["b", "a"]), event(2, [])], false],
  [
    "are those of another merchant",
    [event(1, [], { merchant_id: "n" }), event(2, [], { merchant_id: "n" })],
    false,
  ],
  [
    "are those of another transaction",
    [event(1, [], { transaction_id: "qo" }), event(2, [], { transaction_id: "qo" })],
    false,
  ],
])("a third event whose predecessors %s: next %s", (_what, stored, isNext) => {
  const recent = createRecentEvents();
  recent.stored(stored);
  expect(recent.isNext(delivery(3))).toBe(isNext);
});

it("knows nothing of publishers whose numbers may be used twice", () => {
  const recent = createRecentEvents();
  const session = { transaction_type: "payment_session" };
  recent.stored([event(1, [], session)]);
  expect(recent.isNext(delivery(2, session))).toBe(false);
});

it("an event is next when the delivery before it has ended, there and no redelivery", () => {
  const recent = createRecentEvents();
  recent.stored([event(1, ["a", "b"])]);
  recent.ended(delivery(1, { replay: 1 }));
  expect(recent.isNext(delivery(2))).toBe(false);
  recent.ended(delivery(1));
  expect(recent.isNext(delivery(2))).toBe(true);
  expect(recent.isNext(delivery(2, { endpoint_id: "b" }))).toBe(false);
});

it("an event that is stored once more keeps its deliveries ended", () => {
  const recent = createRecentEvents();
  recent.stored([event(1, ["a"])]);
  recent.ended(delivery(1));
  recent.stored([event(1, ["a"])]);
  expect(recent.isNext(delivery(2))).toBe(true);
});

it("forgets the oldest event when there are too many", () => {
  const recent = createRecentEvents(2);
  recent.stored([1, 2, 3].map((each) => event(1, [], { transaction_id: `po_${each}` })));
  const isNext = (each: number) => recent.isNext(delivery(2, { transaction_id: `po_${each}` }));
  expect([1, 2, 3].map(isNext)).toEqual([false, true, true]);
});
