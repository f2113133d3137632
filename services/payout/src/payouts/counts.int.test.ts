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
const counter = () => openPayoutCounts(platform.database, platform.payouts);
const total = (merchantId: string) => counter().total(merchantId, undefined);

it("a change is counted when another process has counted others since", async () => {
  const [first, second] = [counter(), counter()];
  expect(await first.add("mer_a", [created("a")], performance.now())).toBe(true);
  expect(await second.add("mer_a", [created("b")], performance.now())).toBe(true);
  expect(await first.add("mer_a", [created("c"), created("d")], performance.now())).toBe(true);
  expect(await total("mer_a")).toBe(4);
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

it("a run counts 200 payouts, and says that there may be more", async () => {
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  const model = (await platform.payouts.findOne({
    _id: await platform.execute(accountId, "model"),
  })) as PayoutDocument;
  await platform.payouts.deleteMany({});
  const many = Array.from({ length: 200 }, (_each, at) => ({
    ...{ ...model, _id: `po_${at}`, merchant_id: "mer_d", outbox: [] },
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
