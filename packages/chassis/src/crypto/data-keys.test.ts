import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { DataKeyDocument, DataKeyStore } from "./data-key-store.ts";
import { openDataKeys } from "./data-keys.ts";
import { type KeyProvider, ringProvider, withPrevious } from "./key-provider.ts";
import { createKeyedHashes } from "./sealing.ts";

const secrets = new Map(["k1", "k2", "k3"].map((id) => [id, randomBytes(32).toString("base64")]));
const ring = (...of: readonly string[]) => of.map((id) => `${id}:${secrets.get(id)}`).join();

const stored = new Map<string, DataKeyDocument>();
/** A store in memory, whose calls are asynchronous like the collection's. */
const documents: DataKeyStore = {
  all: async () => structuredClone([...stored.values()]),
  insert: async (document) => {
    if (stored.has(document._id)) return false;
    stored.set(document._id, document);
    return true;
  },
  rewrap: async ({ _id, wrapped }, next) => {
    const document = stored.get(_id);
    if (document?.wrapped !== wrapped) return false;
    stored.set(_id, { ...document, ...next });
    return true;
  },
};

const time = { nowMs: 0 };
const clock = { now: () => new Date(time.nowMs) };
const [announcedMs, dayMs] = [600_000, 86_400_000];
beforeEach(() => {
  time.nowMs = Date.parse("2026-11-23T00:00:00Z");
  stored.clear();
});

const opened = (keys: string, provider: KeyProvider = ringProvider(keys)) =>
  openDataKeys({ documents, service: "quote", provider, ring: keys, purposes: ["alerts"], clock });
const idsOf = (pattern: RegExp) => [...stored.keys()].filter((id) => pattern.test(id)).sort();
/** The state after a roll-out: the new key is first, and its data key is known and in use. */
async function rotate(keys: string) {
  const own = await opened(keys);
  await own.maintain();
  time.nowMs += announcedMs;
  return own;
}

describe("data keys", () => {
  it("are the same in all processes, even if two start at once", async () => {
    const [one, other] = await Promise.all([opened(ring("k1")), opened(ring("k1"))]);
    const sealed = one.sealer.seal("Ω 1", "m|b|n");
    expect(sealed).toMatch(/^~1\.[\w-]+$/);
    expect(other.sealer.open(sealed, "m|b|n")).toBe("Ω 1");
    expect(() => other.sealer.open(sealed, "m|b|o")).toThrow();
    expect(one.sealer.isCurrent(sealed)).toBe(true);
    expect(JSON.stringify([...stored.values()])).not.toContain(secrets.get("k1"));
  });

  it("open texts from before a rotation, and name a missing key", async () => {
    const first = await opened(ring("k1"));
    const sealed = first.sealer.seal("b", "c");
    expect(await (await opened(ring("k2", "k1"))).maintain()).toBe(0);
    const alone = await opened(ring("k2"));
    expect(alone.sealer.open(sealed, "c")).toBe("b");
    expect(() => alone.sealer.open("~9.AAAA", "c")).toThrow(
      "the data key ~9, which does not exist",
    );
  });

  it("never store a key that joins the ring, which the older one could unwrap", async () => {
    await opened(ring("k1"));
    await opened(ring("k1", "k2"));
    expect(idsOf(/k2/)).toEqual([]);
    await rotate(ring("k2", "k1"));
    const own = [...stored.values()].filter(({ _id }) => _id.includes("k2"));
    expect(own.map(({ _id, wrapped_by }) => [_id, wrapped_by])).toEqual([["hash alerts k2", "k2"]]);
  });

  it("fail to open if the key that wraps them was removed too early", async () => {
    await opened(ring("k1"));
    await expect(opened(ring("k2"))).rejects.toThrow(
      /^settings: ENCRYPTION_KEYS: lacks k1, which wraps 2 stored data keys; add it again$/,
    );
    expect([...stored.values()].every(({ wrapped_by }) => wrapped_by === "k1")).toBe(true);
  });

  it("are rewrapped by one of several processes, and stay readable all the time", async () => {
    const { sealer } = await opened(ring("k1"));
    const sealed = sealer.seal("a", "c");
    const all = await Promise.all([1, 2, 3].map(() => opened(ring("k2", "k1"))));
    await Promise.all(all.map(({ maintain }) => maintain()));
    expect(await all[0]?.maintain()).toBe(0);
    expect((await opened(ring("k2"))).sealer.open(sealed, "c")).toBe("a");
  });

  it("follow a rotation, which makes earlier texts outdated", async () => {
    const [before, behind] = [await opened(ring("k1")), await opened(ring("k1", "k2"))];
    const sealed = before.sealer.seal("a", "c");
    expect(before.generation()).toBe("k1");
    const front = await rotate(ring("k2", "k1"));
    const next = front.sealer.seal("a", "c");
    expect([next.slice(0, 3), front.generation()]).toEqual(["~2.", "k2"]);
    expect([sealed, next].map(front.sealer.isCurrent)).toEqual([false, true]);
    // A process that the roll-out has not reached creates no third key, and uses the new one.
    await behind.maintain();
    expect([behind.sealer.open(next, "c"), behind.generation()]).toEqual(["a", "k2"]);
    expect([idsOf(/^~/), behind.sealer.isCurrent(sealed)]).toEqual([["~1", "~2"], false]);
  });

  it("have a successor after thirty days, which every process knows before it seals", async () => {
    const [maker, other] = [await opened(ring("k1")), await opened(ring("k1"))];
    const first = maker.sealer.seal("a", "c");
    time.nowMs += 30 * dayMs - 1;
    await maker.maintain();
    expect(idsOf(/^~/)).toEqual(["~1"]);
    time.nowMs += 1;
    await maker.maintain();
    time.nowMs += announcedMs - 1;
    expect(maker.sealer.seal("a", "c")).toMatch(/^~1\./);
    await other.maintain();
    time.nowMs += 1;
    const sealed = maker.sealer.seal("a", "c");
    expect(sealed).toMatch(/^~2\./);
    expect(other.sealer.open(sealed, "c")).toBe("a");
    // The provider's key is the same, so older texts stay as they are.
    expect(maker.sealer.isCurrent(first)).toBe(true);
    await maker.maintain();
    expect(idsOf(/^~/)).toEqual(["~1", "~2"]);
  });

  it("hash like the ring's keys, and find hashes of a lost one", async () => {
    const [before] = createKeyedHashes(ring("k1"), "alerts");
    const [first] = (await opened(ring("k1"))).hashes("alerts");
    expect(first.hash("x")).toEqual(before.hash("x"));
    const rotated = await rotate(ring("k2", "k1"));
    expect(rotated.hashes("alerts").map(({ keyId }) => keyId)).toEqual(["k2", "k1"]);
    const alone = await opened(ring("k2"));
    const kept = alone.hashes("alerts");
    expect(kept.map(({ keyId }) => keyId)).toEqual(["k2", "k1"]);
    expect(kept[1]?.hash("x")).toEqual(before.hash("x"));
  });

  it("call the provider only at the start", async () => {
    let calls = 0;
    const own = ringProvider(ring("k1"));
    const counting: KeyProvider = {
      ...own,
      wrap: (...args) => own.wrap(...args).finally(() => (calls += 1)),
      unwrap: (...args) => own.unwrap(...args).finally(() => (calls += 1)),
    };
    const { sealer, maintain } = await opened(ring("k1"), counting);
    const atStart = calls;
    for (let at = 0; at < 100; at += 1) sealer.open(sealer.seal("a", "c"), "c");
    await maintain();
    expect([atStart, calls]).toEqual([4, 4]);
  });

  it("move from a ring to another provider, which hashes under a key of its own", async () => {
    const sealed = (await opened(ring("k1"))).sealer.seal("a", "c");
    const kms = ringProvider(ring("k3"));
    const both = await opened(ring("k1"), withPrevious(ringProvider(ring("k1")), kms));
    expect(await both.maintain()).toBe(0);
    const [alone] = [await opened("", kms)];
    expect(alone.sealer.open(sealed, "c")).toBe("a");
    expect(alone.hashes("alerts").map(({ keyId }) => keyId)).toEqual(["k1"]);
    stored.clear();
    const fresh = await opened("", kms);
    expect(fresh.hashes("alerts").map(({ keyId }) => keyId)).toEqual(["own"]);
  });
});
