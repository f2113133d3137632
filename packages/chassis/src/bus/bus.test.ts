import { expect, it } from "vitest";
import { createMemoryBus, patternOf } from "./bus.ts";

it.each([
  ["payout.*", "payout.initiated", true],
  ["payout.*", "payout.a.b", false],
  ["#", "payout.a.b", true],
  ["payout.#", "payout.a.b", true],
  ["payout.initiated", "payoutxinitiated", false],
])("pattern %s matches %s: %s", (pattern, key, yes) => {
  expect(patternOf(pattern).test(key)).toBe(yes);
});

it("resolves a publication only when a consumer stored it", async () => {
  const bus = createMemoryBus();
  const message = { id: "1", key: "payout.initiated", body: new Uint8Array() };
  await expect(bus.publish([message])).rejects.toThrow("no consumer is subscribed");
  let down = true;
  const stored: string[] = [];
  await bus.subscribe({
    queue: "q",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => {
      if (down) throw new Error("store down");
      stored.push(...batch.map(({ id }) => id));
      return batch.map(() => "stored");
    },
  });
  await expect(bus.publish([message])).rejects.toThrow("store down");
  down = false;
  await bus.publish([message]);
  expect(stored).toEqual(["1"]);
});
