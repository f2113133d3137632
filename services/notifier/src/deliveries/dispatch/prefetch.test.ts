import { Binary, BSON } from "mongodb";
import { expect, it } from "vitest";
import type { DeliveryDocument } from "../documents.ts";
import { createPrefetch } from "./prefetch.ts";

const now = new Date(0);

function delivery(id: number, bytes = 2): DeliveryDocument {
  const body = new Binary(Buffer.alloc(bytes));
  return { _id: `whd_${id}`, merchant_id: "mer_1", body } as DeliveryDocument;
}

/** A store in which so many are due at first, and what was asked of it. */
function start(count: number, bytes?: number) {
  let nowMs = 0;
  const stored = Array.from({ length: count }, (_, id) => delivery(id, bytes));
  const reads: number[] = [];
  const due = async (_endpointId: string, limit: number) => {
    reads.push(limit);
    return stored.slice(0, limit).map((each) => BSON.serialize(each));
  };
  const prefetch = createPrefetch({ due }, () => nowMs);
  /** Takes so many as the claimer does, and those are no longer due. */
  const take = async (wanted: number, endpointId = "whe_1") => {
    const isLast = await prefetch.fill(endpointId, wanted, now);
    const { next, isEmpty } = prefetch.take(endpointId, wanted);
    const ids = new Set(next.map(({ _id }) => _id));
    stored.splice(0, stored.length, ...stored.filter(({ _id }) => !ids.has(_id)));
    return { ids: [...ids], isCaughtUp: isLast && isEmpty };
  };
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { take, stored, reads, advance, merchantOf: prefetch.merchantOf };
}

it("gives what is due in its order, with a read for 16 or for what is wanted", async () => {
  const { take, reads } = start(60);
  const taken: string[] = [];
  for (const wanted of [8, 8, 8, 8, 20]) taken.push(...(await take(wanted)).ids);
  expect(taken).toEqual(Array.from({ length: 52 }, (_, id) => `whd_${id}`));
  expect(reads).toEqual([16, 16, 20]);
});

it("says that nothing is behind only where a read found less than it asked for", async () => {
  const { take, stored } = start(3);
  expect(await take(1)).toEqual({ ids: ["whd_0"], isCaughtUp: false });
  // What becomes due after the read is found by the next one.
  stored.push(delivery(3));
  expect(await take(2)).toEqual({ ids: ["whd_1", "whd_2"], isCaughtUp: false });
  expect(await take(2)).toEqual({ ids: ["whd_3"], isCaughtUp: true });
  expect(await take(2)).toEqual({ ids: [], isCaughtUp: true });
});

it("does not say so where a read found as much as it asked for", async () => {
  const { take } = start(16);
  expect((await take(16)).isCaughtUp).toBe(false);
  expect(await take(16)).toEqual({ ids: [], isCaughtUp: true });
});

it("reads again what it read 5 s ago", async () => {
  const { take, stored, reads, advance, merchantOf } = start(4);
  await take(1);
  expect(merchantOf("whe_1")).toBe("mer_1");
  stored.splice(0, stored.length);
  advance(4_999);
  await take(1, "whe_2");
  expect(merchantOf("whe_1")).toBe("mer_1");
  advance(1);
  stored.push(delivery(9));
  expect(await take(1)).toEqual({ ids: ["whd_9"], isCaughtUp: true });
  expect(reads).toHaveLength(3);
});

it("keeps no more than 4,096 deliveries", async () => {
  const { take, stored, reads } = start(0);
  for (let at = 0; at < 300; at += 1) {
    stored.push(...Array.from({ length: 16 }, (_, id) => delivery(at * 100 + id)));
    await take(1, `whe_${at}`);
    stored.splice(0, stored.length);
  }
  reads.length = 0;
  for (let at = 0; at < 300; at += 1) await take(1, `whe_${at}`);
  // 273 times 15 are below it.
  expect(reads).toHaveLength(300 - 273);
});

it("keeps no more than 32 MiB of bodies beyond what is taken", async () => {
  const tooLarge = start(4, 11 * 1_024 * 1_024 + 1);
  await tooLarge.take(1);
  expect(tooLarge.merchantOf("whe_1")).toBeUndefined();
  const large = start(4, 10 * 1_024 * 1_024);
  await large.take(1);
  expect(large.merchantOf("whe_1")).toBe("mer_1");
});
