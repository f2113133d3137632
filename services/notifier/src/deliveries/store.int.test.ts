import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { Binary } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { migrations } from "../migrations.ts";
import { type DeliveryDocument, firstDelivery } from "./documents.ts";
import {
  type DeliveryFilter,
  type DeliveryStore,
  openBacklogStore,
  openDeliveryStore,
} from "./store.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const at = (ms: number): Date => new Date(now.getTime() + ms);

let database: Awaited<ReturnType<typeof migratedDatabase>>;
let store: DeliveryStore;
beforeAll(async () => {
  database = await migratedDatabase("deliveries", migrations);
  store = openDeliveryStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => store.collection.deleteMany({}));

/** A pending delivery to `whe_1` of `mer_1`, with changes. */
function delivery(name: string, changes: Partial<DeliveryDocument> = {}): DeliveryDocument {
  const event = {
    ...{ merchant_id: "mer_1", event_id: `evt_${name}`, body: new Binary(Buffer.from("{}")) },
    ...{ transaction_type: "payout_session", transaction_id: "po_1", status: "initiated" },
    ...{ sequence: 1, received_at: at(-60_000) },
  };
  return { ...firstDelivery(event, "whe_1", "bounded"), _id: name, ...changes };
}

const stored = () => store.collection.find().sort({ _id: 1 }).toArray();

it("finds a delivery for its merchant alone, by its id and by its operation", async () => {
  const one = delivery("a", { operation_id: "op-a" });
  const other = delivery("b", { merchant_id: "mer_2", operation_id: "op-a" });
  await store.insert([one, other, delivery("c", { operation_id: "op-c" })]);
  expect(await store.find("mer_1", "a")).toEqual(one);
  expect(await store.find("mer_1", "b")).toBeNull();
  expect(await store.find("mer_2", "a")).toBeNull();
  expect(await store.findByOperation("mer_1", "op-a")).toEqual(one);
  expect(await store.findByOperation("mer_2", "op-a")).toEqual(other);
  expect(await store.findByOperation("mer_2", "op-c")).toBeNull();
});

it.each<[DeliveryFilter, string]>([
  [{}, "a b c d"],
  [{ endpointId: "whe_1" }, "a b d"],
  [{ transactionId: "po_1" }, "a c d"],
  [{ state: "pending" }, "a b c"],
  [{ endpointId: "whe_1", state: "pending" }, "a b"],
  [{ endpointId: "whe_1", transactionId: "po_1" }, "a d"],
  [{ transactionId: "po_1", state: "exhausted" }, "d"],
  [{ endpointId: "whe_2", transactionId: "po_1", state: "pending" }, "c"],
])("lists for %j a merchant's deliveries %s, and no other merchant's", async (filter, ids) => {
  await store.insert([
    delivery("a"),
    delivery("b", { transaction_id: "po_2" }),
    delivery("c", { endpoint_id: "whe_2" }),
    delivery("d", { state: "exhausted" }),
    delivery("theirs", { merchant_id: "mer_2" }),
  ]);
  const page = await store.list(filter, { merchantId: "mer_1", limit: 10, cursor: "" });
  const shown = page.shown.map(({ _id }) => _id).toSorted();
  expect(shown.join(" ")).toBe(ids);
});

it("cancels an endpoint's pending deliveries, except those that end meanwhile", async () => {
  const held = { held: true, lease: { token: "t", place: "here:1" }, due_at: at(30_000) };
  const kept = [
    delivery("theirs", { merchant_id: "mer_2" }),
    delivery("elsewhere", { endpoint_id: "whe_2" }),
    delivery("delivered", { state: "delivered", due_at: null }),
  ];
  const meanwhile = delivery("meanwhile");
  await store.insert([delivery("a", held), delivery("b"), meanwhile, ...kept]);
  const settled = { state: "delivered", due_at: null } as const;
  const { collection } = store;
  const updateMany = collection.updateMany.bind(collection);
  vi.spyOn(collection, "updateMany").mockImplementationOnce(async (...args) => {
    await collection.updateOne({ _id: "meanwhile" }, { $set: settled });
    return updateMany(...args);
  });
  await store.cancelPending("mer_1", "whe_1", now);
  const cancelled = {
    ...{ state: "cancelled", held: false, lease: null, due_at: null, next_attempt_at: null },
    ...{ updated_at: now, expires_at: at(30 * 86_400_000) },
  };
  expect(await stored()).toEqual([
    { ...delivery("a", held), ...cancelled },
    { ...delivery("b"), ...cancelled },
    ...[kept[2], kept[1], { ...meanwhile, ...settled }, kept[0]],
  ]);
});

it("counts an endpoint's backlog, and caches a long one for ten seconds", async () => {
  await store.insert([
    delivery("late", { created_at: at(-1) }),
    delivery("a-first", { created_at: at(-9) }),
    delivery("theirs", { merchant_id: "mer_2", created_at: at(-99) }),
    delivery("elsewhere", { endpoint_id: "whe_2", created_at: at(-99) }),
    delivery("ended", { state: "exhausted", created_at: at(-99) }),
  ]);
  let elapsedMs = 5_000;
  const { read } = openBacklogStore(store, () => elapsedMs);
  const oldest = { oldestPendingAt: at(-9) };
  expect(await read("mer_1", "whe_1")).toEqual({ pendingCount: 2, ...oldest });
  const count = vi.spyOn(store.collection, "countDocuments");
  for (const pendingCount of [999, 1_000]) {
    count.mockResolvedValueOnce(pendingCount);
    expect(await read("mer_1", "whe_1")).toEqual({ pendingCount, ...oldest });
  }
  const pending = { state: "pending", endpoint_id: "whe_1", merchant_id: "mer_1" };
  expect(count.mock.calls[0]).toEqual([pending, { limit: 10_000, hint: "list_endpoint" }]);
  elapsedMs += 9_999;
  expect(await read("mer_1", "whe_1")).toEqual({ pendingCount: 1_000, ...oldest });
  expect((await read("mer_1", "whe_2")).pendingCount).toBe(1);
  elapsedMs += 1;
  expect(await read("mer_1", "whe_1")).toEqual({ pendingCount: 2, ...oldest });
  expect(await read("mer_1", "whe_3")).toEqual({ pendingCount: 0, oldestPendingAt: undefined });
});
