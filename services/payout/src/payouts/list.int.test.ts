import { setTimeout as pause } from "node:timers/promises";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type CallContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

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

  it("shows of each the same as reading it alone, and nothing that no list shows", async () => {
    const { payouts } = await list();
    expect(new Set(payouts.map(({ $typeName }) => $typeName))).toEqual(
      new Set(["disburse.payout.v1.ListedPayout"]),
    );
    for (const { $typeName: _, ...listed } of payouts) {
      const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: listed.id });
      expect(payout).toMatchObject(listed);
    }
  });

  it("shows the schedule and the batch of a payout", async () => {
    const stored = platform.database.db.collection<{ _id: string }>("payouts");
    const [payoutId = ""] = payoutIds;
    const from = { "order.scheduled_payout_id": "spo_1", "order.batch_id": "bat_1" };
    await stored.updateOne({ _id: payoutId }, { $set: from });
    const [listed] = (await list({ limit: 1 })).payouts;
    await stored.updateOne(
      { _id: payoutId },
      { $unset: { "order.scheduled_payout_id": 1, "order.batch_id": 1 } },
    );
    expect(listed).toMatchObject({ scheduledPayoutId: "spo_1", batchId: "bat_1" });
  });

  it("lists all merchants for an operator who names none, but not for a service", async () => {
    const accountId = await platform.fundedAccount("mer_3", "10.00");
    const quoteId = platform.quote(accountId, { merchantId: "mer_3" });
    const mutation = platform.operation();
    const made = await platform.rpc.executePayout({ mutation, merchantId: "mer_3", quoteId });
    const principal = { kind: "person", id: "ada", roles: new Set(["support"]) } as const;
    const asAda = <T>(work: () => Promise<T>) =>
      withCallContext({ requestId: "r", principal } as unknown as CallContext, work);
    const listed: string[] = [];
    let cursor = "";
    do {
      const page = await asAda(() => platform.rpc.listPayouts({ limit: 3, cursor }));
      expect(page.totalCount).toBe(8n);
      listed.push(...page.payouts.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(listed).toEqual([made.payoutId, ...payoutIds]);
    const error = await platform.rpc.listPayouts({}).catch((thrown: unknown) => thrown);
    expect(readRefusal(error)?.message).toBe("merchant_id: is required");
  });

  it("counts the payouts of all accounts of its merchant", async () => {
    for (const referenceId of ["first", "second"]) {
      const accountId = await platform.fundedAccount("mer_4", "10.00");
      const quoteId = platform.quote(accountId, { merchantId: "mer_4" });
      const mutation = platform.operation();
      const asked = { mutation, merchantId: "mer_4", quoteId, referenceId };
      await platform.rpc.executePayout(asked);
    }
    expect((await list({ merchantId: "mer_4" })).totalCount).toBe(2n);
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

  it("is narrowed by amounts, a name and metadata, page by page", async () => {
    const accountId = await platform.fundedAccount("mer_s", "1000.00");
    const made: string[] = [];
    for (const [at, name] of ["Zoë Müller", "ZOE MULLER", "Zoe Muller Ltd"].entries()) {
      const amount = `10.0${at}`;
      const quoteId = platform.quote(accountId, { merchantId: "mer_s", amount, name });
      const metadata = { order: String(at), desk: "EU" };
      const mutation = platform.operation();
      const asked = { mutation, merchantId: "mer_s", quoteId, metadata };
      made.unshift((await platform.rpc.executePayout(asked)).payoutId);
    }
    const idsOf = async (filter: object) => {
      const ids: string[] = [];
      let cursor = "";
      do {
        const page = await list({ merchantId: "mer_s", limit: 1, cursor, ...filter });
        ids.push(...page.payouts.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== "");
      const { totalCount } = await list({ merchantId: "mer_s", ...filter });
      expect(totalCount).toBe(BigInt(ids.length));
      return ids;
    };
    const [third, second, first] = made;
    expect(await idsOf({ beneficiaryName: " zoe müller " })).toEqual([second, first]);
    expect(await idsOf({ beneficiaryName: "Zoe" })).toEqual([]);
    expect(await idsOf({ metadata: { desk: "EU" } })).toEqual(made);
    expect(await idsOf({ metadata: { desk: "EU", order: "1" } })).toEqual([second]);
    expect(await idsOf({ metadata: { order: "EU" } })).toEqual([]);
    const usd = { sourceCurrencyCode: "USD" };
    expect(await idsOf({ ...usd, amountFrom: "10.01" })).toEqual([third, second]);
    expect(await idsOf({ ...usd, amountTo: "10.01" })).toEqual([second, first]);
    expect(await idsOf({ ...usd, amountFrom: "10.01", amountTo: "10.01" })).toEqual([second]);
    const { payouts } = await list({ merchantId: "mer_s" });
    expect(payouts.map(({ metadata }) => metadata.order)).toEqual(["2", "1", "0"]);
    const { payout } = await platform.rpc.getPayout({ merchantId: "mer_s", payoutId: first ?? "" });
    expect(payout?.metadata).toEqual({ order: "0", desk: "EU" });
  });

  it("by an amount needs its currency, and its decimals", async () => {
    const messageOf = async (filter: object) =>
      readRefusal(await list(filter).catch((thrown: unknown) => thrown))?.message;
    const usd = { sourceCurrencyCode: "USD" };
    expect(await messageOf({ amountFrom: "1", amountTo: "2" })).toBe(
      "source_currency_code: is required for amount_from and amount_to",
    );
    expect(await messageOf({ amountTo: "1", sourceCurrencyCode: "XXX" })).toMatch(/^source_curr/);
    expect(await messageOf({ ...usd, amountFrom: "1.001", amountTo: "x" })).toBe(
      "amount_from: must have at most 2 decimals; amount_to: must be a decimal number",
    );
  });

  it.each([{ limit: 101 }, { limit: -1 }, { cursor: "junk" }])("refuses %j", async (change) => {
    const error = await list(change).catch((reason: unknown) => reason);
    expect(readRefusal(error)?.code).toBe("INVALID_REQUEST");
  });

  it("keeps its counts as statuses change", async () => {
    await platform.work();
    platform.world.offsetMs += 1_100;
    await platform.work();
    await pause(500);
    const count = async (status: PayoutStatus) => Number((await list({ status })).totalCount);
    expect(await count(PayoutStatus.INITIATED)).toBe(0);
    expect(await count(PayoutStatus.SUCCEEDED)).toBe(6);
    expect(await count(PayoutStatus.FAILED)).toBe(1);
    expect(Number((await list()).totalCount)).toBe(7);
  });

  it("has an index for each search", async () => {
    const own = { merchant_id: "mer_s" };
    const byLetters = { locale: "en", strength: 1 } as const;
    // The oldest payouts match: for the newest, the index of all payouts would do as well.
    const searches = [
      {
        filter: { ...own, "order.details.metadata": { $all: [{ k: "order", v: "0" }] } },
        name: "list_metadata",
      },
      {
        filter: { ...own, beneficiary_name: "zoe muller" },
        options: { collation: byLetters },
        name: "list_beneficiary_name",
      },
      {
        filter: { ...own, source: "USD", source_minor: { $gte: 1_001, $lte: 1_001 } },
        name: "list_amount",
      },
    ];
    for (const { filter, options = {}, name } of searches) {
      const found = platform.payouts.find(filter as object, options);
      const sorted = found.sort({ created_at: -1, _id: -1 }).limit(1);
      const { queryPlanner, executionStats } = await sorted.explain("executionStats");
      expect(JSON.stringify(queryPlanner.winningPlan)).toContain(name);
      expect(JSON.stringify(queryPlanner.winningPlan)).not.toContain('"SORT"');
      expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(1);
    }
    const { keysPerIndex } = await platform.database.db.command({ validate: "payouts" });
    // Three payouts with two pairs each. Payouts without metadata are not in the index.
    expect(keysPerIndex.list_metadata).toBe(6);
  });

  it("scans no more than it shows", async () => {
    const plans = await Promise.all(
      [
        {},
        { status: "succeeded" as const },
        { "order.details.reference_id": "order-1" },
        { source: "USD" },
      ].map((filter) =>
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
