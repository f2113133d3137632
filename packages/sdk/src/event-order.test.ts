import { describe, expect, test } from "vitest";
import {
  type EventPosition,
  eventStanding,
  type OrderedEvent,
  onceInOrder,
  positionAfter,
} from "./event-order.ts";

const at = (sequence: number, id = `evt_1_${sequence}`, transaction_id = "po_1"): OrderedEvent => ({
  id,
  transaction_type: "payout_session",
  transaction_id,
  sequence,
});

describe("eventStanding", () => {
  const second: EventPosition = { sequence: 2, ids: ["a", "b"] };
  test.each<[string, number, string, EventPosition | undefined, string]>([
    ["the first", 1, "x", undefined, "new"],
    ["the first that came, not the first there is", 3, "x", undefined, "new"],
    ["the next", 3, "x", second, "new"],
    ["one after a gap", 5, "x", second, "new"],
    ["one before", 1, "x", second, "outdated"],
    ["the last again", 2, "b", second, "repeated"],
    ["one of the same count again", 2, "a", second, "repeated"],
    ["another of the same count", 2, "c", second, "new"],
    ["the last again under another count", 3, "b", second, "repeated"],
  ])("%s", (_, sequence, id, position, standing) => {
    expect(eventStanding({ id, sequence }, position)).toBe(standing);
  });

  test("moves to the event and keeps all ids with the same sequence", () => {
    const first = positionAfter({ id: "a", sequence: 1 }, undefined);
    expect(first).toEqual({ sequence: 1, ids: ["a"] });
    const other = positionAfter({ id: "b", sequence: 1 }, first);
    expect(other).toEqual({ sequence: 1, ids: ["a", "b"] });
    expect(positionAfter({ id: "c", sequence: 4 }, other)).toEqual({ sequence: 4, ids: ["c"] });
  });
});

describe("once and in order", () => {
  test("drops repeated and outdated events of each transaction", async () => {
    const handle = onceInOrder(new Map());
    const done: string[] = [];
    const work = ({ id }: OrderedEvent) => done.push(id);
    const standings = [];
    for (const event of [at(1), at(1), at(3), at(2), at(3), at(1, "other", "po_2"), at(4)]) {
      standings.push(await handle(event, work));
    }
    expect(standings).toEqual(["new", "repeated", "new", "outdated", "repeated", "new", "new"]);
    expect(done).toEqual(["evt_1_1", "evt_1_3", "other", "evt_1_4"]);
  });

  test("a refund with the same id is another transaction", async () => {
    const handle = onceInOrder(new Map());
    await handle(at(2), () => undefined);
    const refund = { ...at(1, "rf"), transaction_type: "refund" };
    expect(await handle(refund, () => undefined)).toBe("new");
  });

  test("an event whose work fails can be processed again", async () => {
    const handle = onceInOrder(new Map());
    const failing = handle(at(1), async () => Promise.reject(new Error("disk full")));
    await expect(failing).rejects.toThrow("disk full");
    expect(await handle(at(1), () => undefined)).toBe("new");
    expect(await handle(at(1), () => undefined)).toBe("repeated");
  });

  test("concurrent calls for one event process it once, also after a failure", async () => {
    const stored = new Map<string, EventPosition>();
    const slow = {
      get: async (key: string) => stored.get(key),
      set: async (key: string, position: EventPosition) => stored.set(key, position),
    };
    const handle = onceInOrder(slow);
    let worked = 0;
    const work = async () => {
      worked += 1;
      await Promise.resolve();
      if (worked === 1) throw new Error("disk full");
    };
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => handle(at(1), work)));
    expect(outcomes.map((each) => ("value" in each ? each.value : "failed"))).toEqual([
      "failed",
      "new",
      "repeated",
    ]);
    expect(worked).toBe(2);
  });

  test("transactions do not wait for each other", async () => {
    const handle = onceInOrder(new Map());
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = handle(at(1), () => promise);
    expect(await handle(at(1, "x", "po_2"), () => undefined)).toBe("new");
    resolve();
    expect(await first).toBe("new");
  });
});
