import { type Log, silentLog } from "@disburse/chassis/log.ts";
import { TimeoutError } from "@disburse/chassis/timeout.ts";
import { MongoNetworkError } from "mongodb";
import { expect, it, vi } from "vitest";
import { createUnsettledKeys, type KeyEnd } from "./unsettled.ts";

const open = (fence: string): KeyEnd => ({ id: "key", fence, progress: { state: "open" } });
const done = (fence: string, length: number): KeyEnd => {
  return { id: "key", fence, progress: { state: "done", sealed_answer: "x".repeat(length) } };
};

/** Ends whose writes fail with `error` while it is set. */
function unsettled(limits = { endsMax: 3, bytesMax: 100 }) {
  const settled: string[] = [];
  const lines: (readonly [string, object])[] = [];
  const note = (fields: object, event: string) => void lines.push([event, fields]);
  const log: Log = { fatal: note, error: note, warn: note, info: note, debug: note };
  const state: { error: Error | undefined } = { error: new MongoNetworkError("away") };
  const settle = async ({ fence }: KeyEnd) => {
    if (state.error !== undefined) throw state.error;
    settled.push(fence);
  };
  const keys = createUnsettledKeys({ settle, log, limits });
  return {
    ...{ settled, state, keys },
    events: () =>
      lines.map(([event, { count }]: readonly [string, { count?: number }]) => {
        return count === undefined ? event : `${event}: ${count}`;
      }),
  };
}

it("settles ends as soon as the database is available", async () => {
  const { settled, state, keys, events } = unsettled();
  const loop = keys.start();
  keys.add(open("a"));
  await expect.poll(events).toEqual(["background loop failed; it will run again"]);
  keys.add(open("b"));
  state.error = undefined;
  await expect.poll(() => settled).toEqual(["a", "b"]);
  keys.add(open("c"));
  await expect.poll(() => settled).toEqual(["a", "b", "c"]);
  await loop.stop();
  expect(settled).toHaveLength(3);
});

it("tries to settle a new end at once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { settled, state, keys } = unsettled();
    state.error = undefined;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const loop = keys.start();
    await turn();
    expect(vi.getTimerCount()).toBe(1);
    keys.add(open("a"));
    await turn();
    expect(settled).toEqual(["a"]);
    await loop.stop();
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  ["count", ["a", "b", "c", "d"].map(open), ["b", "c", "d"], 1],
  ["bytes", [done("a", 60), done("b", 60), open("c"), done("d", 41)], ["c", "d"], 2],
  ["bytes, if one is too large", [done("a", 60), done("b", 101)], [], 2],
])("drops the oldest ends beyond its limit of %s", async (_what, ends, kept, dropped) => {
  const { settled, state, keys, events } = unsettled();
  for (const end of ends) keys.add(end);
  state.error = undefined;
  await keys.start().stop();
  expect(settled).toEqual(kept);
  expect(events()).toEqual([
    `outcomes of idempotency keys were dropped, because too many waited to be stored: ${dropped}`,
  ]);
  keys.add(done("e", 100));
  await keys.start().stop();
  expect(settled).toEqual([...kept, "e"]);
  expect(events()).toHaveLength(1);
});

it("drops an end that no retry can settle", async () => {
  const { settled, state, keys, events } = unsettled();
  state.error = new TypeError("a bug");
  keys.add(open("a"));
  const loop = keys.start();
  await expect.poll(events).toEqual(["background loop failed; it will run again"]);
  state.error = undefined;
  await loop.stop();
  expect(settled).toEqual([]);
});

it("settles more ends than one batch holds", async () => {
  const { settled, state, keys } = unsettled({ endsMax: 1_000, bytesMax: 100 });
  state.error = undefined;
  for (let at = 0; at < 600; at += 1) keys.add(open(`${at}`));
  await keys.start().stop();
  expect(settled).toHaveLength(600);
});

it("does not delay a shutdown for longer than 3 s", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const settle = () => new Promise<never>(() => undefined);
    const keys = createUnsettledKeys({ settle, log: silentLog });
    keys.add(open("a"));
    const stopped = expect(keys.start().stop()).rejects.toThrow(TimeoutError);
    await vi.advanceTimersByTimeAsync(3_000);
    await stopped;
  } finally {
    vi.useRealTimers();
  }
});
