import { expect, test } from "vitest";
import { createArrivals } from "./backlog.ts";
import { planEndpoints } from "./endpoints.ts";
import { sessionIdOf } from "./events.ts";

test("keeps the first webhook of each event, and counts what came twice or elsewhere", () => {
  const arrivals = createArrivals(planEndpoints());
  const came = (run: string, number: number, receiver: number, atMs: number) =>
    arrivals.add({ transactionId: sessionIdOf({ run, number }), receiver, atMs });
  came("a", 101, 1, 50);
  came("a", 2, 2, 40);
  came("a", 2, 2, 60);
  came("b", 3, 4, 70);
  arrivals.add({ transactionId: "po_1", receiver: 0, atMs: 1 });
  expect(arrivals.firstAtMs("a")).toEqual([
    [101, 50],
    [2, 40],
  ]);
  expect([arrivals.countOf("a"), arrivals.countOf("b"), arrivals.countOf("c")]).toEqual([2, 1, 0]);
  expect([arrivals.lastAtMs("a"), arrivals.lastAtMs("c")]).toEqual([50, 0]);
  expect(arrivals.faults()).toEqual({ duplicates: 1, misrouted: 1 });
});
