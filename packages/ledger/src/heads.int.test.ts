import { afterAll, beforeAll, expect, it } from "vitest";
import { ledgerHeads } from "./recorder.ts";
import { startTestLedger, type TestLedger } from "./test-ledger.ts";

const merchantId = "mer_1";
let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await startTestLedger();
});
afterAll(() => testLedger.stop());

const hold = (accountId: string, payoutId: string) =>
  testLedger.ledger.apply(
    { merchantId, accountId },
    { step: "hold", amount: 100n, payoutId, note: "" },
  );
const headOf = async (accountId: string) => {
  const account = await testLedger.ledger.accounts.findOne({ _id: accountId });
  return { chain: `ledger/${accountId}`, sequence: account?.sequence, hash: account?.head_hash };
};

it("are due for accounts with movements until they are shipped unchanged", async () => {
  const heads = ledgerHeads(testLedger.ledger);
  const [one, other] = [
    await testLedger.fundedAccount(merchantId, "100.00"),
    await testLedger.fundedAccount(merchantId, "100.00"),
  ];
  await testLedger.tidy();
  const due = await heads.changed(10);
  expect(new Set(due)).toEqual(new Set([await headOf(one), await headOf(other)]));
  expect([await heads.unshipped(), (await heads.changed(1)).length]).toEqual([2, 1]);
  // One account changes during the shipment.
  await hold(one, "po_1");
  await heads.shipped(due);
  await testLedger.tidy();
  expect(await heads.changed(10)).toEqual([await headOf(one)]);
  await heads.shipped(await heads.changed(10));
  expect([await heads.changed(10), await heads.unshipped()]).toEqual([[], 0]);
});
