import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type CallContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { writeCursor } from "@disburse/chassis/paging/page.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ListPayoutsRequestSchema,
  PayoutOrderBy,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import type { PayoutDocument } from "./document.ts";
import { afterPlace, type OrderName, sortOf } from "./list-order.ts";
import type { Progress } from "./rules/progress.ts";
import { storedPayout } from "./test-documents.ts";

const merchantId = "mer_lists";
const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

type Change = Partial<PayoutDocument> & { readonly minor?: bigint };

/** Stores payouts, the oldest first. Each is created a minute after the one before it. */
async function stored(of: string, changes: readonly Change[]): Promise<void> {
  const documents = changes.map(({ minor = 1_000n, ...change }, at) => {
    const created_at = new Date(start + at * minute);
    return storedPayout({
      ...{
        _id: `po_${of}_${at}`,
        merchant_id: of,
        operations: [{ id: `${of}:${at}`, content: "" }],
      },
      ...{ created_at, updated_at: created_at, source: "USD", source_minor: toDecimal128(minor) },
      ...change,
    });
  });
  for (let at = 0; at < documents.length; at += 500) {
    await platform.payouts.insertMany(documents.slice(at, at + 500));
  }
}

const progress = (its: Progress) => ({
  progress: its,
  status: "failed" as const,
});

type Search = MessageInitShape<typeof ListPayoutsRequestSchema>;
const list = (search: Search = {}) => platform.rpc.listPayouts({ merchantId, ...search });
const place = (id: string) => Number(id.split("_").at(-1));

/** Returns the payouts of all pages by their places, and checks a count that isn't a stored one. */
async function all(search: Search, limit = 2): Promise<number[]> {
  const ids: string[] = [];
  let cursor = "";
  let total = 0n;
  do {
    const page = await list({ ...search, limit, cursor });
    ids.push(...page.payouts.map(({ id }) => id));
    ({ nextCursor: cursor, totalCount: total } = page);
  } while (cursor !== "");
  const { merchantId: _, orderBy: __, ...filters } = search;
  if (Object.keys(filters).length > 0) expect(total).toBe(BigInt(ids.length));
  return ids.map(place);
}

const messageOf = async (search: Search) =>
  readRefusal(await list(search).catch((thrown: unknown) => thrown))?.message;

describe("an ordered list", () => {
  const usd = { sourceCurrencyCode: "USD" };

  beforeAll(() =>
    stored(merchantId, [
      { minor: 500n, account_id: "acc_a", status: "succeeded" },
      { minor: 10_000n, account_id: "acc_a", updated_at: new Date(start + 60 * minute) },
      { minor: 500n, account_id: "acc_b", beneficiary_name: "Ada" },
      { minor: 2_000n, source: "EUR", account_id: "acc_b" },
      { minor: 700n, account_id: "acc_a", beneficiary_name: "Ada" },
      { minor: 500n, account_id: "acc_a", created_at: new Date(start + 2 * minute) },
    ]),
  );

  it("is oldest or newest first", async () => {
    const oldest = [0, 1, 2, 5, 3, 4];
    expect(await all({ orderBy: PayoutOrderBy.OLDEST })).toEqual(oldest);
    expect(await all({ orderBy: PayoutOrderBy.NEWEST })).toEqual(oldest.toReversed());
    expect(await all({})).toEqual(oldest.toReversed());
  });

  it("is by amount in one currency, and by time within an amount", async () => {
    const lowest = [5, 2, 0, 4, 1];
    for (const limit of [1, 2, 100]) {
      expect(await all({ ...usd, orderBy: PayoutOrderBy.LOWEST }, limit)).toEqual(lowest);
      const highest = { ...usd, orderBy: PayoutOrderBy.HIGHEST };
      expect(await all(highest, limit)).toEqual(lowest.toReversed());
    }
    const cheap = { ...usd, amountTo: "6.99", orderBy: PayoutOrderBy.HIGHEST };
    expect(await all(cheap)).toEqual([0, 2, 5]);
    const initiated = { status: PayoutStatus.INITIATED, accountId: "acc_a" };
    expect(await all({ ...usd, ...initiated, orderBy: PayoutOrderBy.LOWEST }, 1)).toEqual([
      5, 4, 1,
    ]);
    const ada = { ...usd, beneficiaryName: "ADA", orderBy: PayoutOrderBy.HIGHEST };
    expect(await all(ada, 1)).toEqual([4, 2]);
  });

  it("is narrowed by account and time of the last change", async () => {
    expect(await all({ accountId: "acc_b" })).toEqual([3, 2]);
    expect(await all({ accountId: "acc_b", ...usd })).toEqual([2]);
    expect(await all({ accountId: "acc_none" })).toEqual([]);
    const since = (at: number) => ({
      updatedFrom: timestampFromDate(new Date(start + at * minute)),
    });
    expect(await all(since(4))).toEqual([4, 5, 1]);
    expect(await all({ ...since(4), orderBy: PayoutOrderBy.OLDEST, accountId: "acc_a" })).toEqual([
      ...[1, 5, 4],
    ]);
    expect(await all(since(61))).toEqual([]);
  });

  it("names the currency that is missing, and the field that needs it", async () => {
    const sorted = { orderBy: PayoutOrderBy.LOWEST };
    const required = "source_currency_code: is required for";
    expect(await messageOf({ amountFrom: "1" })).toBe(`${required} amount_from`);
    expect(await messageOf({ amountTo: "1", ...sorted })).toBe(
      `${required} amount_to and sort by amount`,
    );
    expect(await messageOf(sorted)).toBe(`${required} sort by amount`);
    expect(await messageOf({ ...sorted, sourceCurrencyCode: "XXX" })).toBe(
      "source_currency_code: must be a known currency",
    );
    const principal = { kind: "person", id: "ada", roles: new Set(["support"]) } as const;
    const ofAll = withCallContext({ requestId: "r", principal } as unknown as CallContext, () =>
      messageOf({ merchantId: "", orderBy: PayoutOrderBy.OLDEST }),
    );
    expect(await ofAll).toBe("merchant_id: is required for another order");
  });

  it("binds its cursor to its order and filters, but not to the size of its pages", async () => {
    const cursorOf = async (search: Search) => (await list({ ...search, limit: 1 })).nextCursor;
    const filters = { accountId: "acc_a", ...usd };
    const cursor = await cursorOf(filters);
    const { payouts } = await list({ ...filters, cursor, limit: 50 });
    expect(payouts.map(({ id }) => place(id))).toEqual([5, 1, 0]);
    const other = "cursor: was used with another sort or other filters than those of its list";
    for (const search of [
      {},
      usd,
      { ...filters, accountId: "acc_b" },
      { ...filters, orderBy: PayoutOrderBy.OLDEST },
      { ...filters, orderBy: PayoutOrderBy.LOWEST },
    ]) {
      expect(await messageOf({ ...search, cursor })).toBe(other);
    }
    const plain = await cursorOf({});
    expect(await messageOf({ ...usd, cursor: plain, orderBy: PayoutOrderBy.LOWEST })).toBe(other);
    expect(await messageOf({ cursor: plain, orderBy: PayoutOrderBy.OLDEST })).toBe(other);
    for (const junk of ["junk", Buffer.from("a/b/c/d").toString("base64url")]) {
      expect(await messageOf({ ...filters, cursor: junk })).toBe(
        "cursor: must be one that a list returned",
      );
    }
  });

  it("continues from a cursor of the previous release", async () => {
    const cursor = writeCursor("payouts", {
      at: new Date(start + 3 * minute),
      id: `po_${merchantId}_3`,
    });
    const { payouts } = await list({ ...usd, cursor });
    expect(payouts.map(({ id }) => place(id))).toEqual([5, 2, 1, 0]);
  });
});

it("is narrowed by each failure code, also with a sub-status", async () => {
  const of = "mer_failed";
  await stored(of, [
    progress({ stage: "rejected", failure: { code: "ACCOUNT_CLOSED", railCode: "AC04" } }),
    progress({ stage: "returned", reference: "R", failure: { code: "ACCOUNT_CLOSED" } }),
    progress({ stage: "rejected" }),
    progress({ stage: "returned", reference: "R", failure: { code: "UNSPECIFIED" } }),
    progress({ stage: "cancelled" }),
    progress({ stage: "cancelled", because: "approval_expired" }),
    { progress: { stage: "concluding", outcome: { kind: "cancelled" } } },
    {},
  ]);
  const { payouts } = await list({ merchantId: of });
  for (const code of new Set(payouts.map(({ failureCode }) => failureCode))) {
    const shown = payouts.filter(({ failureCode }) => failureCode === code);
    if (code === "") continue;
    const found = await all({ merchantId: of, failureCode: code });
    expect([code, found]).toEqual([code, shown.map(({ id }) => place(id))]);
  }
  const closed = { merchantId: of, failureCode: "ACCOUNT_CLOSED" };
  expect(await all({ ...closed, subStatus: PayoutSubStatus.RETURNED })).toEqual([1]);
  expect(await all({ ...closed, subStatus: PayoutSubStatus.CANCELLED })).toEqual([]);
  expect(await all({ ...closed, status: PayoutStatus.SUCCEEDED })).toEqual([]);
  expect(await all({ merchantId: of, failureCode: "INVALID_NAME" })).toEqual([]);
});

describe("a list of many payouts", () => {
  const of = "mer_bound";
  const count = 10_050;

  beforeAll(async () => {
    // Only the oldest and the newest are of the second account.
    const few = new Set([0, 1, count - 1]);
    await stored(
      of,
      Array.from({ length: count }, (_each, at) => ({
        minor: BigInt(1_000 + Math.floor(at / 20)),
        account_id: few.has(at) ? "acc_few" : "acc_many",
      })),
    );
  }, 60_000);

  it("reads at most 10,000 payouts for a page and a count without an index", async () => {
    const few = { merchantId: of, accountId: "acc_few" };
    const first = await list(few);
    expect(first).toMatchObject({ totalCount: 1n, totalCountCapped: true });
    expect(first.payouts.map(({ id }) => place(id))).toEqual([count - 1]);
    const second = await list({ ...few, cursor: first.nextCursor });
    expect(second.payouts.map(({ id }) => place(id))).toEqual([1, 0]);
    expect([second.nextCursor, second.totalCount]).toEqual(["", 1n]);
    const many = { merchantId: of, accountId: "acc_many", limit: 1 };
    const { nextCursor: cursor } = await list(many);
    const beyond = await list({ ...many, cursor });
    expect(beyond.payouts.map(({ id }) => place(id))).toEqual([count - 3]);
    expect((await list({ merchantId: of, accountId: "acc_none" })).payouts).toEqual([]);
    const cheapest = { ...few, sourceCurrencyCode: "USD", orderBy: PayoutOrderBy.LOWEST };
    const lowest = await list(cheapest);
    expect(lowest.payouts.map(({ id }) => place(id))).toEqual([1, 0]);
    const rest = await list({ ...cheapest, cursor: lowest.nextCursor });
    expect(rest.payouts.map(({ id }) => place(id))).toEqual([count - 1]);
    expect(rest.nextCursor).toBe("");
  }, 30_000);

  it.each<OrderName>(["newest", "oldest", "lowest", "highest"])(
    "reads as little for a page far down as for the first: %s",
    async (order) => {
      for (const at of [30, 5_000, 9_900]) {
        const last = await platform.payouts.findOne({ _id: `po_${of}_${at}` });
        const filter = { merchant_id: of, source: "USD" };
        const found = platform.payouts.find(afterPlace(filter, order, last ?? undefined));
        const plan: Document = await found.sort(sortOf(order)).limit(20).explain("executionStats");
        expect(JSON.stringify(plan.queryPlanner.winningPlan)).not.toContain('"SORT"');
        expect(plan.executionStats.nReturned).toBe(20);
        expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(21);
        expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(70);
      }
    },
  );
});
