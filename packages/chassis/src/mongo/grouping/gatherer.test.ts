import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createGatherer, type Gathered, type GathererLimits } from "./gatherer.ts";

type Item = Gathered & { readonly name: string };

const wide: GathererLimits = {
  ...{ batchMax: 100, batchBytesMax: 1_000, inFlightMax: 2 },
  ...{ waitingMax: 100, waitingBytesMax: 1_000 },
};
const item = (name: string, key?: string, bytes = 1): Item => ({ name, key, bytes });

/** A gatherer whose turns and replies the test controls. */
function gathering(limits: Partial<GathererLimits> = {}) {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const turns: (() => void)[] = [];
  const gatherer = createGatherer<Item>(
    (batch) => {
      sent.push(batch.map(({ name }) => name).join(" "));
      return new Promise((resolve) => answers.push(resolve));
    },
    { ...wide, ...limits },
    (run) => turns.push(run),
  );
  return {
    sent,
    add: (...items: Item[]) => items.map((each) => gatherer.add(each)),
    /** Ends the turn of the event loop. */
    turn: () => {
      const [...due] = turns.splice(0);
      for (const run of due) run();
      return due.length;
    },
    answer: async (place: "first" | "last" = "first") => {
      const resolve = place === "first" ? answers.shift() : answers.pop();
      resolve?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it("sends what was added in a turn at its end, in order, and nothing without", () => {
  const { sent, add, turn } = gathering();
  expect(turn()).toBe(0);
  expect(add(item("a"), item("b"), item("c"))).toEqual([true, true, true]);
  expect(sent).toEqual([]);
  expect(turn()).toBe(1);
  expect(sent).toEqual(["a b c"]);
  expect(turn()).toBe(0);
});

it("has two batches under way, and sends the rest after an answer", async () => {
  const { sent, add, turn, answer } = gathering();
  for (const name of ["a", "b", "c", "d"]) {
    add(item(name));
    turn();
  }
  expect(sent).toEqual(["a", "b"]);
  await answer();
  expect(turn()).toBe(1);
  expect(sent).toEqual(["a", "b", "c d"]);
});

it.each([
  ["number", { batchMax: 2 }, ["a", "b", "c", "d", "e"].map((name) => item(name)), "a b|c d|e"],
  [
    "size",
    { batchBytesMax: 10 },
    [item("a", undefined, 4), item("b", undefined, 6), item("c", undefined, 1)],
    "a b|c",
  ],
  [
    "size, but for one that is larger alone",
    { batchBytesMax: 10 },
    [item("a", undefined, 11), item("b", undefined, 11)],
    "a|b",
  ],
])("bounds a batch by %s", (_what, limits, items, batches) => {
  const { sent, add, turn } = gathering({ ...limits, inFlightMax: 10 });
  add(...items);
  while (turn() > 0);
  expect(sent.join("|")).toBe(batches);
});

it("sends operations of one key one after the other, and others meanwhile", async () => {
  const { sent, add, turn, answer } = gathering();
  add(item("a1", "a"), item("a2", "a"), item("b1", "b"), item("x"), item("x"), item("a3", "a"));
  turn();
  expect(sent).toEqual(["a1 b1 x x"]);
  await answer();
  turn();
  await answer();
  turn();
  await answer();
  expect(sent).toEqual(["a1 b1 x x", "a2", "a3"]);
  add(item("a4", "a"), item("b2", "b"));
  turn();
  expect(sent.at(-1)).toBe("a4 b2");
});

it("accepts up to its limit, and more when a batch was sent", () => {
  const { add, turn } = gathering({ waitingMax: 2 });
  expect(add(item("a"), item("b", "k"), item("c"))).toEqual([true, true, false]);
  turn();
  expect(add(item("d"), item("e", "k"), item("f", "k"))).toEqual([true, true, false]);
});

it("accepts up to its byte limit, except for one operation that waits alone", () => {
  const { add, turn } = gathering({ waitingBytesMax: 10 });
  const sized = (bytes: number) => item("a", undefined, bytes);
  expect(add(sized(4), sized(6), sized(1))).toEqual([true, true, false]);
  turn();
  expect(add(sized(11), sized(1))).toEqual([true, false]);
});

describe("if batches hang", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Adds an operation a second, beginning at once. Returns the batches that were sent. */
  const sentIn = (seconds: number, limits: Partial<GathererLimits>) => {
    const { sent, add, turn } = gathering(limits);
    for (let second = 0; second < seconds; second += 1) {
      add(item(`${second}`));
      turn();
      vi.advanceTimersByTime(1_000);
      turn();
    }
    return sent;
  };

  it("sends no further batch unless the limits allow it", () => {
    expect(sentIn(10, {})).toEqual(["0", "1"]);
  });

  it("sends one further batch a second, up to the limit", () => {
    const { sent, add, turn } = gathering({ furtherMax: 2, batchMax: 1 });
    add(...["a", "b", "c", "d", "e"].map((name) => item(name)));
    while (turn() > 0);
    expect(sent).toEqual(["a", "b"]);
    vi.advanceTimersByTime(999);
    expect(turn()).toBe(0);
    vi.advanceTimersByTime(1);
    while (turn() > 0);
    expect(sent).toEqual(["a", "b", "c"]);
    vi.advanceTimersByTime(1_000);
    while (turn() > 0);
    expect(sent).toEqual(["a", "b", "c", "d"]);
    vi.advanceTimersByTime(60_000);
    expect(turn()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(sentIn(10, { furtherMax: 3 })).toEqual(["0", "1", "2", "3", "4"]);
  });

  it("sends at once while a further batch has ended and the others still hang", async () => {
    const { sent, add, turn, answer } = gathering({ furtherMax: 8 });
    for (const name of ["a", "b", "c"]) {
      add(item(name));
      turn();
    }
    vi.advanceTimersByTime(1_000);
    turn();
    expect(sent).toEqual(["a", "b", "c"]);
    for (const name of ["d", "e", "f"]) {
      add(item(name));
      expect(turn()).toBe(0);
      await answer("last");
      expect(turn()).toBe(1);
      expect(sent.at(-1)).toBe(name);
    }
  });

  it("still sends one operation of a key after the other", async () => {
    const { sent, add, turn, answer } = gathering({ furtherMax: 8 });
    add(item("a1", "a"), item("a2", "a"));
    turn();
    add(item("b"));
    turn();
    add(item("c"));
    vi.advanceTimersByTime(10_000);
    turn();
    expect(sent).toEqual(["a1", "b", "c"]);
    await answer();
    vi.advanceTimersByTime(1_000);
    turn();
    expect(sent.at(-1)).toBe("a2");
  });
});
