import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import type { EndpointRecord } from "./rules/endpoint.ts";
import { type EndpointStore, openEndpointStore } from "./store.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const at = (ms: number): Date => new Date(now.getTime() + ms);

let database: Awaited<ReturnType<typeof migratedDatabase>>;
let store: EndpointStore;
beforeAll(async () => {
  database = await migratedDatabase("endpoints", migrations);
  store = openEndpointStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => store.collection.deleteMany({}));

/** An endpoint of `mer_1` with its own operation, plus changes. */
function endpoint(id: string, changes: Partial<EndpointRecord> = {}): EndpointRecord {
  const actor = { kind: "api_key", id: "key_1" } as const;
  return {
    ...{ id, merchantId: "mer_1", url: "https://hooks.example.com/", description: "shop" },
    ...{ order: "strict", eventTypes: ["*"], pausedAt: undefined, verifiedAt: at(-5) },
    ...{ pendingUrl: undefined, createdAt: at(-9), updatedAt: at(-5), deletedAt: undefined },
    ...{ revision: 3, place: undefined, createdBy: actor },
    signing: { current: "k1", previous: { keyId: "k0", until: at(9) }, staged: undefined },
    keys: [{ id: "k1", secret: "sealed", standardSecret: "sealed too", madeAt: at(-9) }],
    operations: [{ id: `op-${id}`, kind: "create", keyId: "k1", actor, at: at(-9) }],
    ...changes,
  };
}

async function storeFive(): Promise<Record<"a" | "b" | "c" | "gone" | "theirs", EndpointRecord>> {
  const created = {
    c: endpoint("c", { place: 2, createdAt: at(-7), eventTypes: ["refund"] }),
    a: endpoint("a", { place: 0 }),
    b: endpoint("b", { place: 1, createdAt: at(-8), eventTypes: ["payout_session.failed"] }),
    gone: endpoint("gone", { deletedAt: at(-1) }),
    theirs: endpoint("theirs", { merchantId: "mer_2", place: 0 }),
  };
  const inserted = await Promise.all(Object.values(created).map(store.insert));
  expect(inserted).toEqual(inserted.map(() => true));
  return created;
}

it("finds an endpoint for its merchant alone, a deleted one by its operation alone", async () => {
  const { a, gone } = await storeFive();
  expect(await store.find("mer_1", "a")).toEqual(a);
  expect(await store.find("mer_2", "a")).toBeUndefined();
  expect(await store.find("mer_1", "gone")).toBeUndefined();
  expect(await store.findByOperation("mer_1", "op-a")).toEqual(a);
  expect(await store.findByOperation("mer_1", "op-gone")).toEqual(gone);
  expect(await store.findByOperation("mer_2", "op-a")).toBeUndefined();
});

it("lists a merchant's endpoints, the oldest first, and no other merchant's", async () => {
  const { a, b, c } = await storeFive();
  const page = (limit: number, cursor = "") => store.list("mer_1", { limit, cursor });
  const first = await page(2);
  expect(first).toMatchObject({ shown: [a, b], totalCount: 3n });
  expect(await page(2, first.nextCursor)).toMatchObject({ shown: [c], nextCursor: "" });
});

it("finds the merchant's subscribers to an event, and no other merchant's", async () => {
  const { a, b, theirs } = await storeFive();
  const subscribed = async (merchants: string[], types: string[]) => {
    const found = await store.findSubscribed(merchants, types);
    return [...found].map(([merchant, each]) => [merchant, each.map(({ id }) => id).toSorted()]);
  };
  const types = ["*", "payout_session", "payout_session.failed"];
  expect(await subscribed(["mer_1"], types)).toEqual([["mer_1", ["a", "b"]]]);
  expect(await subscribed(["mer_2", "mer_3"], types)).toEqual([["mer_2", ["theirs"]]]);
  expect(await subscribed(["mer_1"], ["refund"])).toEqual([["mer_1", ["c"]]]);
  const ids = ["a", "b", "gone", "theirs"];
  const withoutHistory = [a, b, theirs].map(({ operations: _none, ...each }) => each);
  const active = await store.readActive(ids);
  expect([...active.values()].toSorted((one, two) => (one.id < two.id ? -1 : 1))).toEqual(
    withoutHistory,
  );
});

it("writes the revision after the one that was read, of one endpoint", async () => {
  const { a, b } = await storeFive();
  const next = { ...a, revision: 4, description: "new" };
  expect(await store.revise({ ...next, revision: 5 })).toBe(false);
  expect(await store.revise({ ...next, id: "none" })).toBe(false);
  expect(await store.find("mer_1", "a")).toEqual(a);
  expect(await store.revise(next)).toBe(true);
  expect(await store.revise(next)).toBe(false);
  // Another endpoint already has this operation.
  expect(await store.revise({ ...b, revision: 4, operations: a.operations })).toBe(false);
  expect(await store.find("mer_1", "a")).toEqual(next);
  expect(await store.find("mer_1", "b")).toEqual(b);
});

it("returns the places that no active endpoint of the merchant has", async () => {
  await storeFive();
  const free = Array.from({ length: 13 }, (_each, at) => at + 3);
  expect(await store.freePlaces("mer_1")).toEqual(free);
  expect(await store.freePlaces("mer_2")).toEqual([1, 2, ...free]);
  expect(await store.freePlaces("mer_3")).toEqual([0, 1, 2, ...free]);
});
