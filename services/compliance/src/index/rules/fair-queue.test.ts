import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const bounds = { ofOne: 1_000, ofAll: 4_000 };

/** Takes turns that cost what their items say, and returns the merchants in order. */
function run(queue: ReturnType<typeof createFairQueue<number>>, turns: number): string[] {
  const merchants: string[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const next = queue.take();
    if (next === undefined) break;
    queue.spend(next.merchant, next.item);
    merchants.push(next.merchant);
  }
  return merchants;
}

describe("a fair queue", () => {
  it("gives one who comes the next turn, however much another one has waiting", () => {
    const queue = createFairQueue<number>(bounds);
    queue.add("much", Array(100).fill(9));
    expect(run(queue, 10)).toEqual(Array(10).fill("much"));
    queue.add("other", [1]);
    expect(run(queue, 2)).toContain("other");
  });

  it("shares time, not turns: costly names wait longer for their next turn", () => {
    const queue = createFairQueue<number>(bounds);
    queue.add("costly", Array(50).fill(10));
    queue.add("cheap", Array(500).fill(1));
    const turns = run(queue, 110);
    expect(turns.filter((each) => each === "costly")).toHaveLength(10);
  });

  it("gives no credit for time in which a merchant had no requests", () => {
    const queue = createFairQueue<number>(bounds);
    queue.add("busy", Array(100).fill(10));
    run(queue, 50);
    queue.add("idle", Array(100).fill(10));
    const turns = run(queue, 20);
    expect(turns.filter((each) => each === "busy").length).toBeGreaterThanOrEqual(9);
  });

  it("counts the cost of a merchant that adds one item at a time", () => {
    const queue = createFairQueue<number>(bounds);
    queue.add("steady", Array(100).fill(1));
    let costly = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      queue.add("one by one", [50]);
      const [merchant] = run(queue, 1);
      if (merchant === "one by one") costly += 1;
      else continue;
    }
    expect(costly).toBeLessThanOrEqual(3);
  });

  it("accepts no more than its bounds, all of a request or nothing", () => {
    const queue = createFairQueue<number>({ ofOne: 3, ofAll: 4 });
    expect(queue.add("a", [1, 1])).toBe(true);
    expect(queue.add("a", [1, 1])).toBe(false);
    expect(queue.add("b", [1, 1])).toBe(true);
    expect(queue.add("c", [1])).toBe(false);
    expect(queue.size).toBe(4);
    queue.drop("b", () => true);
    expect([queue.add("c", [1]), queue.size]).toEqual([true, 3]);
  });

  it("returns each item once, each merchant's in their order, at any cost", () => {
    const added = fc.array(
      fc.record({ merchant: fc.constantFrom("a", "b", "c"), cost: fc.nat(20), take: fc.boolean() }),
    );
    fc.assert(
      fc.property(added, (steps) => {
        const queue = createFairQueue<{ at: number; cost: number }>(bounds);
        const taken: { merchant: string; at: number }[] = [];
        const take = () => {
          const next = queue.take();
          if (next === undefined) return false;
          queue.spend(next.merchant, next.item.cost);
          taken.push({ merchant: next.merchant, at: next.item.at });
          return true;
        };
        for (const [at, { merchant, cost, take: isTurn }] of steps.entries()) {
          queue.add(merchant, [{ at, cost }]);
          if (isTurn) take();
        }
        while (take());
        expect(queue.size).toBe(0);
        for (const merchant of ["a", "b", "c"]) {
          const own = steps.flatMap((each, at) => (each.merchant === merchant ? [at] : []));
          expect(taken.filter((each) => each.merchant === merchant).map(({ at }) => at)).toEqual(
            own,
          );
        }
      }),
    );
  });
});
