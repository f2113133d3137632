import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openPayoutCounts } from "./counts.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let payoutIds: string[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  const accountId = await platform.fundedAccount(merchantId, "1000.00");
  for (let at = 0; at < 7; at += 1) {
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    const referenceId = at === 3 ? "sandbox-fail-it" : `order-${at % 2}`;
    const made = await platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId });
    payoutIds = [made.payoutId, ...payoutIds];
  }
  await platform.counts.run();
});
afterAll(() => platform.stop());

const list = (change: object = {}) => platform.rpc.listPayouts({ merchantId, ...change });

describe("a list of payouts", () => {
  it("goes through all pages once, newest first, while its count stays", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await list({ limit: 3, cursor });
      expect(page.totalCount).toBe(7n);
      seen.push(...page.payouts.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen).toEqual(payoutIds);
  });

  it("shows of each what reading it alone does", async () => {
    for (const listed of (await list()).payouts) {
      const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: listed.id });
      expect(listed).toEqual(payout);
    }
  });

  it("has no payouts of another merchant, and does not count them", async () => {
    expect(await list({ merchantId: "mer_2" })).toMatchObject({ payouts: [], totalCount: 0n });
  });

  it("is narrowed by each filter", async () => {
    const { payouts } = await list();
    const third = payouts[2];
    const createdAt = third?.createdAt;
    const later = createdAt && timestampFromDate(new Date(timestampDate(createdAt).getTime() + 1));
    const countOf = async (filter: object) => Number((await list(filter)).totalCount);
    expect(await countOf({ referenceId: "order-1" })).toBe(2);
    const read = await platform.rpc.getPayout({ merchantId, payoutId: third?.id ?? "" });
    expect(await countOf({ quoteId: read.payout?.quoteId })).toBe(1);
    expect(await countOf({ quoteId: third?.id })).toBe(0);
    expect(await countOf({ beneficiaryId: "ben_1" })).toBe(7);
    expect(await countOf({ beneficiaryId: "ben_2" })).toBe(0);
    expect(await countOf({ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD" })).toBe(7);
    expect(await countOf({ destinationCurrencyCode: "BTC" })).toBe(0);
    expect(await countOf({ createdFrom: createdAt, createdTo: later })).toBe(1);
    expect(await countOf({ createdTo: createdAt })).toBe(4);
    expect(await countOf({ status: PayoutStatus.INITIATED })).toBe(7);
  });

  it.each([{ limit: 101 }, { limit: -1 }, { cursor: "junk" }])("refuses %j", async (change) => {
    const error = await list(change).catch((reason: unknown) => reason);
    expect(readRefusal(error)?.code).toBe("INVALID_REQUEST");
  });

  it("keeps its counts as statuses change, counting no event twice", async () => {
    await platform.work();
    platform.world.offsetMs += 1_100;
    await platform.work();
    const collection = platform.payouts;
    const owing = await collection.find({ "untallied.0": { $exists: true } }).toArray();
    await Promise.all([platform.counts.run(), platform.counts.run()]);
    for (const { _id, untallied } of owing) {
      await collection.updateOne({ _id }, { $set: { untallied } });
    }
    await platform.counts.run();
    const count = async (status: PayoutStatus) => Number((await list({ status })).totalCount);
    expect(await count(PayoutStatus.INITIATED)).toBe(0);
    expect(await count(PayoutStatus.SUCCEEDED)).toBe(6);
    expect(await count(PayoutStatus.FAILED)).toBe(1);
    expect(Number((await list()).totalCount)).toBe(7);
  });

  /** Counts, while something happens between the read of the counts and their write. */
  async function countWhile(happens: () => Promise<unknown>) {
    let between: typeof happens | undefined = happens;
    const counts = platform.database.db.collection("payout_counts");
    const findOne = counts.findOne.bind(counts);
    vi.spyOn(counts, "findOne").mockImplementation(async (...given: unknown[]) => {
      const found = await (findOne as (...given: unknown[]) => Promise<Document>)(...given);
      const run = between;
      between = undefined;
      await run?.();
      return found;
    });
    await platform.counts.run();
    expect(between).toBeUndefined();
    vi.restoreAllMocks();
  }

  const total = async () => Number((await list()).totalCount);
  const uncounted = (id: string) => ({ id, at: new Date(), from: null, to: "initiated" }) as const;

  it("loses no count to another process that counted in between", async () => {
    while (await platform.counts.run());
    const before = await total();
    const owe = async (event: string) => {
      const { _id } = (await platform.payouts.findOne({ untallied: [] }))!;
      await platform.payouts.updateOne({ _id }, { $set: { untallied: [uncounted(event)] } });
    };
    await owe("evt_between_1");
    await countWhile(async () => {
      await owe("evt_between_2");
      await openPayoutCounts(platform.database, platform.payouts).run();
    });
    expect(await total()).toBe(before + 2);
  });

  it("loses no change of a payout whose earlier change it counts", async () => {
    while (await platform.counts.run());
    const before = await total();
    const { _id } = (await platform.payouts.findOne({ untallied: [] }))!;
    const owe = (event: string) =>
      platform.payouts.updateOne({ _id }, { $push: { untallied: uncounted(event) } });
    await owe("evt_earlier_1");
    await countWhile(() => owe("evt_later_1"));
    expect(await total()).toBe(before + 1);
    await platform.counts.run();
    expect(await total()).toBe(before + 2);
  });

  it("counts nothing that a stalled run found long ago", async () => {
    const before = await list();
    const { _id } = (await platform.payouts.findOne({})) ?? { _id: "" };
    const late = { id: "evt_late_1", at: new Date(), from: null, to: "initiated" } as const;
    await platform.payouts.updateOne({ _id }, { $set: { untallied: [late] } });
    vi.spyOn(performance, "now").mockReturnValueOnce(0).mockReturnValue(4_000);
    await expect(platform.counts.run()).rejects.toThrow("too long");
    vi.restoreAllMocks();
    expect((await list()).totalCount).toBe(before.totalCount);
    await platform.payouts.updateOne({ _id }, { $set: { untallied: [] } });
  });

  it("scans no more than it shows", async () => {
    const plans = await Promise.all(
      [{}, { status: "succeeded" as const }, { reference_id: "order-1" }, { source: "USD" }].map(
        (filter) =>
          platform.payouts
            .find({ merchant_id: merchantId, ...filter })
            .sort({ created_at: -1, _id: -1 })
            .limit(2)
            .explain("executionStats"),
      ),
    );
    for (const { executionStats } of plans) {
      expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(2);
    }
  });
});
