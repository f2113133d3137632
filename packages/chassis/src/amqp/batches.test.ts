import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batchMax, storeRetryMs } from "../bus/bus.ts";
import { silentLog } from "../log.ts";
import { startBatches } from "./consumers.ts";

const faked = ["setTimeout", "clearTimeout", "performance"] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...faked] }));
afterEach(() => void vi.useRealTimers());

type Begun = { readonly atMs: number; readonly items: readonly number[] };

/** Batches that take so long to be stored, and what began when; a try may fail. */
function start(storeMs: number, fails: () => boolean = () => false) {
  const startedAt = performance.now();
  const begun: Begun[] = [];
  const { add, stop } = startBatches<number>({
    handle: async (items) => {
      begun.push({ atMs: performance.now() - startedAt, items });
      if (fails()) throw new Error("not stored");
      await new Promise((resolve) => setTimeout(resolve, storeMs));
    },
    log: silentLog,
  });
  /** One comes every millisecond. */
  const addFor = async (ms: number) => {
    for (let at = 0; at < ms; at += 1) {
      add(at);
      await vi.advanceTimersByTimeAsync(1);
    }
  };
  return { add, stop, begun, addFor };
}

const momentsOf = (begun: readonly Begun[]): number[] => begun.map(({ atMs }) => atMs);

it("gathers for 5 ms where nothing was stored before", async () => {
  const { begun, addFor } = start(1);
  await addFor(18);
  expect(momentsOf(begun)).toEqual([5, 11, 17]);
  expect(begun[0]?.items).toEqual([0, 1, 2, 3, 4]);
});

it("gathers for as long as the batch before took, and for 12 ms at most", async () => {
  const slow = start(8);
  await slow.addFor(38);
  expect(momentsOf(slow.begun)).toEqual([5, 21, 37]);
  const slower = start(100);
  await slower.addFor(230);
  expect(momentsOf(slower.begun)).toEqual([5, 117, 229]);
});

it("handles a full batch at once", async () => {
  const { add, begun } = start(20);
  const all = Array.from({ length: 2 * batchMax + 1 }, (_, at) => at);
  for (const each of all) add(each);
  await vi.advanceTimersByTimeAsync(57);
  expect(momentsOf(begun)).toEqual([5, 25, 57]);
  expect(begun.flatMap(({ items }) => items)).toEqual(all);
});

it("retries a batch until it is stored, before the next one", async () => {
  let failures = 2;
  const { add, begun } = start(0, () => failures-- > 0);
  add(1);
  await vi.advanceTimersByTimeAsync(5);
  add(2);
  await vi.advanceTimersByTimeAsync(2 * storeRetryMs + 20);
  expect(begun.map(({ items }) => items)).toEqual([[1], [1], [1], [2]]);
});

it("starts no batch after it is stopped", async () => {
  const { add, stop, begun } = start(5);
  add(1);
  await vi.advanceTimersByTimeAsync(5);
  add(2);
  const stopped = stop();
  await vi.advanceTimersByTimeAsync(100);
  await stopped;
  expect(begun.map(({ items }) => items)).toEqual([[1]]);
});
