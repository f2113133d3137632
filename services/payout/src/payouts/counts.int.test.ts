import type { Document } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openPayoutCounts } from "./counts.ts";
import type { PayoutDocument, UncountedChange } from "./document.ts";

/** Two processes that count the same merchants' payouts. */

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const created = (id: string): UncountedChange => ({
  ...{ id: `evt_${id}_1`, at: new Date(), from: null, to: "initiated" },
});
const ended = (id: string, to: "succeeded" | "failed"): UncountedChange => ({
  ...{ id: `evt_${id}_2`, at: new Date(), from: "initiated", to },
});
const collection = () => platform.database.db.collection<{ _id: string }>("payout_counts");
const stored = (merchantId: string) => collection().findOne({ _id: merchantId });
const counter = () => openPayoutCounts(platform.database, platform.payouts);
const total = (merchantId: string) => counter().total(merchantId, undefined);

it("a change is counted when another process has counted others since", async () => {
  const [first, second] = [counter(), counter()];
  expect(await first.add("mer_a", [created("a")], performance.now())).toBe(true);
  expect(await first.add("mer_a", [created("y")], performance.now())).toBe(true);
  expect(await second.add("mer_a", [created("b")], performance.now())).toBe(true);
  await second.add("mer_a", [created("x")], performance.now());
  const write = vi.spyOn(collection(), "updateOne");
  expect(await first.add("mer_a", [created("c"), created("d")], performance.now())).toBe(true);
  expect(write).toHaveBeenCalledTimes(2);
  write.mockRestore();
  expect(await total("mer_a")).toBe(6);
});

it("a change that another process has counted is not counted again, and those beside it are", async () => {
  const [first, second] = [counter(), counter()];
  await first.add("mer_b", [created("e")], performance.now());
  await second.add("mer_b", [created("f")], performance.now());
  await first.add("mer_b", [created("e"), created("f"), created("g")], performance.now());
  await first.add("mer_b", [created("g")], performance.now());
  expect(await total("mer_b")).toBe(3);
});

it("a change of status moves between the counts", async () => {
  const counts = counter();
  const succeeded = { id: "evt_h_2", at: new Date(), from: "initiated", to: "succeeded" } as const;
  await counts.add("mer_c", [created("h"), created("i")], performance.now());
  await counts.add("mer_c", [succeeded], performance.now());
  expect(await counts.total("mer_c", "initiated")).toBe(1);
  expect(await counts.total("mer_c", "succeeded")).toBe(1);
  expect(await counts.total("mer_c", "failed")).toBe(0);
});

it("a first change is stored with what the counts are from, and shown at once", async () => {
  const countRead = vi.fn();
  const counts = openPayoutCounts(platform.database, platform.payouts, countRead);
  expect(await counts.total("mer_f", undefined)).toBe(0);
  await counts.add("mer_f", [created("j"), created("k")], performance.now());
  await counts.add("mer_f", [ended("j", "succeeded"), ended("k", "failed")], performance.now());
  expect(await counts.total("mer_f", undefined)).toBe(2);
  expect(await counts.total("mer_f", "failed")).toBe(1);
  expect(countRead.mock.calls).toEqual([
    ["payout_counts", "miss"],
    ["payout_counts", "miss"],
    ["payout_counts", "hit"],
  ]);
  expect(await stored("mer_f")).toEqual({
    ...{ _id: "mer_f", schema_version: 1, revision: 2, initiated: 0, succeeded: 1, failed: 1 },
    counted: ["evt_j_1", "evt_k_1", "evt_j_2", "evt_k_2"],
  });
});

it("a process that counts alone reads the counts once, and keeps the last 2,000 changes", async () => {
  const counts = counter();
  const first = Array.from({ length: 1_999 }, (_each, at) => created(`first${at}`));
  await counts.add("mer_g", first, performance.now());
  const read = vi.spyOn(collection(), "findOne");
  await counts.add("mer_g", [created("l")], performance.now());
  await counts.add("mer_g", [created("m")], performance.now());
  await counts.add("mer_g", [created("n")], performance.now());
  expect(read).toHaveBeenCalledOnce();
  read.mockRestore();
  const { counted, initiated, revision } = (await stored("mer_g")) as Document;
  expect([initiated, revision, counted.length]).toEqual([2_002, 4, 2_000]);
  expect([counted[0], counted.at(-1)]).toEqual(["evt_first2_1", "evt_n_1"]);
});

it("a change is counted within 4 s of its read, and no later", async () => {
  const counts = counter();
  const now = vi.spyOn(performance, "now").mockReturnValue(13_999);
  expect(await counts.add("mer_h", [created("o")], 10_000)).toBe(true);
  now.mockReturnValue(14_000);
  expect(await counts.add("mer_h", [created("p")], 10_000)).toBe(false);
  now.mockRestore();
  expect(await total("mer_h")).toBe(1);
});

it("a change is not counted twice by a process that stalls until it is forgotten", async () => {
  const [first, second] = [counter(), counter()];
  await first.add("mer_i", [created("q")], performance.now());
  const write = vi.spyOn(collection(), "updateOne");
  const { updateOne } = Object.getPrototypeOf(collection());
  write.mockImplementationOnce(async (...given: unknown[]) => {
    write.mockRestore();
    await second.add("mer_i", [created("r")], performance.now());
    await collection().updateOne({ _id: "mer_i" }, { $set: { counted: [] } });
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 4_000);
    return updateOne.apply(collection(), given);
  });
  expect(await first.add("mer_i", [created("r")], performance.now())).toBe(false);
  vi.restoreAllMocks();
  expect(await total("mer_i")).toBe(2);
});

it("a run counts 200 payouts, and says that there may be more", async () => {
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  const model = (await platform.payouts.findOne({
    _id: await platform.execute(accountId, "model"),
  })) as PayoutDocument;
  await platform.payouts.deleteMany({});
  const many = Array.from({ length: 200 }, (_each, at) => ({
    ...{ ...model, _id: `po_${at}`, merchant_id: "mer_d", outbox: [] },
    order: { ...model.order, operation_id: `op_${at}` },
    untallied: [created(`many${at}`)],
  }));
  await platform.payouts.insertMany(many);
  const counts = counter();
  const write = vi.spyOn(platform.payouts, "updateOne");
  expect(await counts.run((changes) => changes.slice(1))).toBe(false);
  expect(write).toHaveBeenCalledTimes(199);
  write.mockRestore();
  expect(await counts.total("mer_d", undefined)).toBe(199);
  expect(await counts.run()).toBe(false);
  await platform.payouts.deleteMany({});
  await platform.payouts.insertMany(many.map((each) => ({ ...each, merchant_id: "mer_e" })));
  expect(await counts.run()).toBe(true);
  expect(await counts.total("mer_e", undefined)).toBe(200);
  expect(await platform.payouts.countDocuments({ "untallied.0": { $exists: true } })).toBe(0);
});
