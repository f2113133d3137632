import type { Database } from "@disburse/chassis/mongo/database.ts";
import { expect, it } from "vitest";
import { openGapStore } from "./store.ts";

/** Returns the chunk sizes in which `count` events are read. */
async function chunksOf(count: number): Promise<number[]> {
  const found = {
    sort: () => found,
    batchSize: () => found,
    *[Symbol.iterator]() {
      for (let at = 0; at < count; at += 1) yield { event_id: String(at) };
    },
  };
  const events = { collection: { find: () => found } };
  const database = { db: { collection: () => undefined } } as unknown as Database;
  const gaps = openGapStore(database, events as never, {} as never);
  const chunks = gaps.receivedIn({ from: new Date(0), to: new Date(1) });
  const sizes: number[] = [];
  for await (const chunk of chunks) sizes.push(chunk.length);
  return sizes;
}

it("reads events in chunks of five hundred, and omits none", async () => {
  expect(await chunksOf(0)).toEqual([]);
  expect(await chunksOf(499)).toEqual([499]);
  expect(await chunksOf(500)).toEqual([500]);
  expect(await chunksOf(1_001)).toEqual([500, 500, 1]);
});
