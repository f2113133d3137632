import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { ledgerHeads } from "./recorder.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const hold = (accountId: string, payoutId: string) =>
  platform.ledger.apply(
    { merchantId, accountId },
    { step: "hold", amount: 100n, payoutId, note: "" },
  );
const headOf = async (accountId: string) => {
  const account = await platform.ledger.accounts.findOne({ _id: accountId });
  return { chain: `ledger/${accountId}`, sequence: account?.sequence, hash: account?.head_hash };
};

it("are due for accounts with movements until they are shipped unchanged", async () => {
  const heads = ledgerHeads(platform.ledger);
  const [one, other] = [
    await platform.fundedAccount(merchantId, "100.00"),
    await platform.fundedAccount(merchantId, "100.00"),
  ];
  await platform.tidy();
  const due = await heads.changed(10);
  expect(new Set(due)).toEqual(new Set([await headOf(one), await headOf(other)]));
  expect([await heads.unshipped(), (await heads.changed(1)).length]).toEqual([2, 1]);
  // One account changes during the shipment.
  await hold(one, "po_1");
  await heads.shipped(due);
  await platform.tidy();
  expect(await heads.changed(10)).toEqual([await headOf(one)]);
  await heads.shipped(await heads.changed(10));
  expect([await heads.changed(10), await heads.unshipped()]).toEqual([[], 0]);
});
