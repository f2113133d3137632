import { expect, it } from "vitest";
import { batchMax, storeRetryMs } from "../bus/bus.ts";
import { silentLog } from "../log.ts";
import { startBatches } from "./consumers.ts";

/** Starts batches whose storing the test completes. */
function start() {
  const begun: (readonly number[])[] = [];
  let storing = Promise.withResolvers<void>();
  const { add, stop } = startBatches<number>({
    handle: (items) => {
      begun.push(items);
      storing = Promise.withResolvers();
      return storing.promise;
    },
    log: silentLog,
  });
  return {
    ...{ add, stop, begun },
    stored: () => storing.resolve(),
    failed: () => storing.reject(new Error("not stored")),
  };
}

it("handles messages that arrived together at once, then those that arrived meanwhile, in order", async () => {
  const { add, begun, stored } = start();
  for (const item of [1, 2, 3]) add(item);
  await expect.poll(() => begun).toEqual([[1, 2, 3]]);
  for (const item of [4, 5]) add(item);
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([[1, 2, 3]]);
  stored();
  await expect
    .poll(() => begun)
    .toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
});

it("bounds a batch", async () => {
  const { add, begun, stored } = start();
  for (let item = 0; item <= batchMax; item += 1) add(item);
  await expect.poll(() => begun.map((batch) => batch.length)).toEqual([batchMax]);
  stored();
  await expect.poll(() => begun.at(-1)).toEqual([batchMax]);
});

it("retries a batch until it is stored, before the next one", async () => {
  const { add, begun, failed, stored } = start();
  add(1);
  await expect.poll(() => begun).toEqual([[1]]);
  add(2);
  failed();
  await expect.poll(() => begun, { timeout: 2 * storeRetryMs + 1_000 }).toEqual([[1], [1]]);
  stored();
  await expect.poll(() => begun).toEqual([[1], [1], [2]]);
});

it("starts no batch after it is stopped, and waits for the one that runs", async () => {
  const { add, stop, begun, stored } = start();
  add(1);
  await expect.poll(() => begun).toEqual([[1]]);
  add(2);
  let hasStopped = false;
  const stopped = stop().then(() => {
    hasStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  stored();
  await stopped;
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([[1]]);
});

it("stops while it waits to try again", async () => {
  const { add, stop, begun, failed } = start();
  add(1);
  await expect.poll(() => begun).toEqual([[1]]);
  failed();
  await stop();
  expect(begun).toEqual([[1]]);
});
