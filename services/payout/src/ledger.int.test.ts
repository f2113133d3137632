import { afterAll, beforeAll, expect, it } from "vitest";
import type { AccountDocument, LedgerDocument, RecentMovement } from "./account-documents.ts";
import { movementKey } from "./domain/account.ts";
import { recordRecent } from "./ledger.ts";
import { deadlineMs } from "./movements.ts";
import { startTestPlatform, type TestPlatform } from "./test-platform.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const ago = (ms: number) => new Date(Date.now() - ms);
const accounts = () => platform.database.db.collection<AccountDocument>("accounts");

/** An account with one hold that is not recorded yet, changed as a case wants it. */
async function heldAccount(change: Partial<RecentMovement>) {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  await platform.accounts.recordRecent();
  const key = movementKey(`po_${accountId}`, "hold");
  const deadline = new Date(Date.now() + deadlineMs);
  const movement = { key, step: "hold", amount: 100n, payoutId: "po_x", note: "" } as const;
  await platform.accounts.apply({ merchantId, accountId, deadline }, movement);
  const set = Object.entries(change).map(([name, value]) => [`recent.$[hold].${name}`, value]);
  if (set.length > 0) {
    await accounts().updateOne(
      { _id: accountId },
      { $set: Object.fromEntries(set) },
      { arrayFilters: [{ "hold.key": key }] },
    );
  }
  return { accountId, key };
}

/** Where an account still knows a movement's key after the recorder ran twice. */
async function placeOf({ accountId, key }: { accountId: string; key: string }) {
  await platform.accounts.recordRecent();
  await platform.accounts.recordRecent();
  const account = (await accounts().findOne({ _id: accountId })) as AccountDocument;
  if (account.recent.some((movement) => movement.key === key)) return "recent";
  return account.applied.some((movement) => movement.key === key) ? "applied" : "gone";
}

const old = 2 * deadlineMs + 2_000;
const young = deadlineMs + 2_000;

it.each<[string, Partial<RecentMovement>, string]>([
  ["old", { at: ago(old) }, "gone"],
  ["young enough that a late try could repeat it", { at: ago(young) }, "applied"],
  ["old and its hold still open", { at: ago(old), open_since: ago(old) }, "recent"],
  ["old, its hold's fate known of late", { at: ago(old), closed_at: ago(young) }, "applied"],
  ["old, its hold's fate known for long", { at: ago(2 * old), closed_at: ago(old) }, "gone"],
])("knows a movement that is %s where it must", async (_what, change, place) => {
  const held = await heldAccount(change);
  expect(await placeOf(held)).toBe(place);
  const found = await platform.accounts.findMovement(held.accountId, held.key);
  expect(found).toMatchObject({ sequence: 2, amount: 100n });
});

it("takes a movement out of its account only when it is in the ledger", async () => {
  const { accountId, key } = await heldAccount({ at: ago(old) });
  const before = await accounts().findOne({ _id: accountId });
  expect(before?.recorded_sequence).toBe(1);
  await platform.accounts.recordRecent();
  const ledger = platform.database.db.collection<{ _id: string }>("ledger_entries");
  expect(await ledger.findOne({ _id: key })).toMatchObject({ sequence: 2 });
});

it("does not repeat a movement that only the ledger still knows", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const mutation = platform.operation();
  const credit = () =>
    platform.rpc.creditAccount({ mutation, merchantId, accountId, amount: "5.00" });
  const first = await credit();
  await platform.accounts.recordRecent();
  await accounts().updateOne({ _id: accountId }, { $set: { "applied.$[].at": ago(old) } });
  await platform.accounts.recordRecent();
  expect((await accounts().findOne({ _id: accountId }))?.applied).toEqual([]);
  expect(await credit()).toEqual(first);
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  expect(account?.available).toBe("105.00");
});

it("keeps what was moved while it was writing to the ledger", async () => {
  const { accountId } = await heldAccount({});
  const ledger = platform.database.db.collection<LedgerDocument>("ledger_entries");
  const key = movementKey("po_meanwhile", "hold");
  const meanwhile = { key, step: "hold", amount: 7n, payoutId: "po_meanwhile", note: "" } as const;
  const deadline = new Date(Date.now() + deadlineMs);
  const slow = {
    insertMany: async (...args: Parameters<typeof ledger.insertMany>) => {
      await platform.accounts.apply({ merchantId, accountId, deadline }, meanwhile);
      return ledger.insertMany(...args);
    },
  } as unknown as typeof ledger;
  await recordRecent({ accounts: accounts(), ledger: slow });
  const { recent } = (await accounts().findOne({ _id: accountId })) as AccountDocument;
  expect(recent.map((movement) => movement.key)).toEqual([key]);
  await platform.accounts.recordRecent();
  expect(await ledger.findOne({ _id: key })).toMatchObject({ sequence: 3 });
});

it("moves nothing for a merchant whose account it is not", async () => {
  const { accountId } = await heldAccount({});
  const movement = { key: "x", step: "hold", amount: 1n, payoutId: "po_f", note: "" } as const;
  const target = { merchantId: "mer_2", accountId, deadline: new Date(Date.now() + deadlineMs) };
  expect(await platform.accounts.apply(target, movement)).toEqual({ outcome: "no_account" });
  const account = await platform.accounts.read(merchantId, accountId);
  expect(account).toMatchObject({ available: 9_900n, held: 100n });
});
