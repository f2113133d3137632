import { withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
let [settled, returned, open] = ["", "", ""];

beforeAll(async () => {
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount(merchantId, "100.00");
  await platform.fundedAccount("mer_2", "100.00");
  settled = await platform.execute(accountId, "order-77");
  returned = await platform.execute(accountId, "sandbox-return");
  for (let second = 0; second < 8; second += 1) {
    await platform.work();
    platform.world.offsetMs += 1_000;
  }
  open = await platform.execute(accountId, "order-78");
});
afterAll(() => platform?.stop());

const find = (reference: string) => platform.operatorRpc.findRecords({ reference });
const payoutsOf = async (reference: string) => (await find(reference)).payouts.map(({ id }) => id);
const listed = async (uniqueTransactionReference: string, of = merchantId) => {
  const request = { merchantId: of, uniqueTransactionReference };
  return (await platform.rpc.listPayouts(request)).payouts.map(({ id }) => id);
};

it("finds a payout by id, by both references, and by its id in a bank file", async () => {
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: settled });
  const hash = payout?.uniqueTransactionReference ?? "";
  expect(hash).not.toBe("");
  for (const text of [settled, "order-77", ` ${hash} `, settled.slice(3).toUpperCase()]) {
    expect(await payoutsOf(text), text).toEqual([settled]);
  }
  const { payout: other } = await platform.rpc.getPayout({ merchantId, payoutId: returned });
  expect(await payoutsOf(other?.returnedReference ?? "")).toEqual([returned]);
  expect(await payoutsOf(open)).toEqual([open]);
});

it("finds nothing inside a word, and no account of the platform", async () => {
  for (const text of ["order-7", "rder-77", "ORDER-77", "platform", "none-such"]) {
    expect(await find(text), text).toMatchObject({ payouts: [], batches: [], accounts: [] });
  }
});

it("finds accounts by id and batches by id and reference", async () => {
  expect((await find(accountId)).accounts).toMatchObject([{ id: accountId, merchantId }]);
  const line = {
    ...{ accountId, beneficiaryId: "ben_1", sourceAmount: "1.00", referenceId: "salary" },
    ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD" },
  };
  const request = { mutation: platform.operation(), merchantId, referenceId: "payroll-3" };
  const { batch } = await platform.ordersRpc.createBatch({ ...request, lines: [line] });
  for (const text of [batch?.id ?? "", "payroll-3"]) {
    expect((await find(text)).batches).toMatchObject([{ id: batch?.id, merchantId }]);
  }
  const own = (referenceId: string) => platform.ordersRpc.listBatches({ merchantId, referenceId });
  expect((await own("payroll-3")).batches.map(({ id }) => id)).toEqual([batch?.id]);
  expect(await own("payroll")).toMatchObject({ batches: [], totalCount: 0n });
});

it("lists a merchant's own payouts by the payment's reference", async () => {
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: settled });
  const hash = payout?.uniqueTransactionReference ?? "";
  expect(await listed(hash)).toEqual([settled]);
  expect(await listed(hash, "mer_2")).toEqual([]);
  expect(await listed(hash.slice(1))).toEqual([]);
});

it("is in the audit trail with the person and the reference", async () => {
  const roles = new Set(["support"] as const);
  const principal = { kind: "person", id: "ada", roles, signIn: "exempt" } as const;
  await withCallContext({ requestId: "req-1", principal }, () => find("no-such-record"));
  const { entries } = await platform.operatorRpc.listAuditEntries({});
  expect(entries[0]).toMatchObject({ action: "FindRecords", subject: "no-such-record" });
  expect(entries[0]?.actor?.id).toBe("ada");
});

it("refuses a text that is no reference", async () => {
  for (const text of ["", "abc", " abc ", "x".repeat(256)]) {
    const refusal = await find(text).catch((error: unknown) => readRefusal(error)?.code);
    expect(refusal, text).toBe("INVALID_REQUEST");
  }
});
