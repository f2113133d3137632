import fc from "fast-check";
import { expect, it } from "vitest";
import { allot } from "./fairness.ts";

const slots = { processMax: 10, endpointMax: 4, claimMax: 6 };

it.each<[string, string[], [string, number][], string, [string, number][]]>([
  ["nothing due", [], [], "", []],
  ["one endpoint to its limit", ["a"], [], "", [["a", 4]]],
  ["what is left of its limit", ["a"], [["a", 3]], "", [["a", 1]]],
  ["nothing to a full one", ["a", "b"], [["a", 4]], "", [["b", 4]]],
  [
    "one each in turn",
    ["a", "b", "c"],
    [["b", 3]],
    "",
    [
      ["a", 3],
      ["b", 1],
      ["c", 2],
    ],
  ],
  ["the turn after the last", ["a", "b"], [["c", 9]], "a", [["b", 1]]],
  ["the turn from the start again", ["a", "b"], [["c", 9]], "b", [["a", 1]]],
  ["nothing when the process is full", ["a"], [["c", 10]], "", []],
])("gives %s", (_name, due, inFlight, servedLast, expected) => {
  expect([...allot(due, new Map(inFlight), slots, servedLast)].sort()).toEqual(expected);
});

it("never passes a limit, leaves no slot that could be used, and is even", () => {
  const ids = fc.uniqueArray(fc.constantFrom(..."abcdefghijklmnop"), { maxLength: 16 });
  const busy = fc.dictionary(fc.constantFrom(..."abcdefghijklmnop"), fc.nat({ max: 4 }));
  fc.assert(
    fc.property(ids, busy, fc.constantFrom("", "d", "p"), (unsorted, running, servedLast) => {
      const due = unsorted.sort();
      const inFlight = new Map(Object.entries(running));
      const before = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
      const shares = allot(due, inFlight, slots, servedLast);
      const given = [...shares.values()].reduce((sum, count) => sum + count, 0);
      const room = (id: string) => slots.endpointMax - (inFlight.get(id) ?? 0);
      const wanted = due.reduce((sum, id) => sum + Math.max(0, room(id)), 0);
      const free = Math.max(0, Math.min(slots.claimMax, slots.processMax - before));
      expect(given).toBe(Math.min(free, wanted));
      for (const [id, share] of shares) {
        expect(share).toBeLessThanOrEqual(room(id));
        const least = Math.min(...due.map((other) => Math.max(shares.get(other) ?? 0, share - 1)));
        const starved = due.some(
          (o) => (shares.get(o) ?? 0) < least && room(o) > (shares.get(o) ?? 0),
        );
        expect(starved).toBe(false);
      }
    }),
  );
});
