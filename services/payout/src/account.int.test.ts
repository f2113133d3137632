import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import { LedgerStep } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AccountDocument } from "./account-documents.ts";
import { movementKey } from "./domain/account.ts";
import { startTestPlatform, type TestPlatform } from "./test-platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

const merchantId = "mer_1";
const soon = () => new Date(Date.now() + 10_000);

function hold(accountId: string, payoutId: string, amount: bigint, deadline = soon()) {
  const key = movementKey(payoutId, "hold");
  const movement = { key, step: "hold", amount, payoutId, note: "" } as const;
  return platform.accounts.apply({ merchantId, accountId, deadline }, movement);
}

describe("an account", () => {
  it("is opened once per operation, and is its merchant's alone", async () => {
    const mutation = platform.operation();
    const open = () => platform.rpc.openAccount({ mutation, merchantId, currencyCode: "BTC" });
    const [first, second] = await Promise.all([open(), open()]);
    expect(first).toEqual(second);
    expect(first.account).toMatchObject({ available: "0.00000000", held: "0.00000000" });
    const accountId = first.account?.id ?? "";
    const foreign = { merchantId: "mer_2", accountId };
    expect(await codeOf(platform.rpc.getAccount(foreign))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(platform.rpc.listEntries(foreign))).toBe("RECORD_NOT_FOUND");
    const credit = { mutation: platform.operation(), ...foreign, amount: "1" };
    expect(await codeOf(platform.rpc.creditAccount(credit))).toBe("RECORD_NOT_FOUND");
    expect((await platform.rpc.resolveAccount({ accountId })).merchantId).toBe("mer_1");
    const unknown = { mutation: platform.operation(), merchantId, currencyCode: "EUR" };
    expect(await codeOf(platform.rpc.openAccount(unknown))).toBe("INVALID_REQUEST");
  });

  it("is credited once per operation, exactly", async () => {
    const accountId = await platform.fundedAccount(merchantId, "0.10");
    const mutation = platform.operation();
    const credit = (amount: string) =>
      platform.rpc.creditAccount({ mutation, merchantId, accountId, amount });
    const answers = await Promise.all(Array.from({ length: 8 }, () => credit("0.20")));
    expect(answers.every(({ entry }) => entry?.available === "0.30")).toBe(true);
    expect((await credit("7.00")).entry?.amount).toBe("0.20");
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account?.available).toBe("0.30");
  });

  it("is listed once among its merchant's, oldest first, page by page", async () => {
    const lister = { merchantId: "mer_lister" };
    const open = () =>
      platform.rpc.openAccount({ mutation: platform.operation(), ...lister, currencyCode: "USD" });
    const opened = await Promise.all(Array.from({ length: 7 }, open));
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await platform.rpc.listAccounts({ ...lister, limit: 3, cursor });
      expect(page).toMatchObject({ totalCount: 7n, totalCountCapped: false });
      seen.push(...page.accounts.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen).toEqual(opened.map(({ account }) => account?.id ?? "").toSorted());
    const stranger = await platform.rpc.listAccounts({ merchantId: "mer_stranger" });
    expect(stranger).toMatchObject({ accounts: [], nextCursor: "", totalCount: 0n });
    for (const wrong of [{ limit: 101 }, { limit: -1 }, { cursor: "x" }]) {
      expect(await codeOf(platform.rpc.listAccounts({ ...lister, ...wrong }))).toBe(
        "INVALID_REQUEST",
      );
    }
  });

  it("remembers who credited it", async () => {
    const accountId = await platform.fundedAccount(merchantId, "1.00");
    await platform.accounts.recordRecent();
    const ledger = platform.database.db.collection("ledger_entries");
    const actor = { kind: "service", id: "test" };
    expect(await ledger.findOne({ account_id: accountId })).toMatchObject({ actor });
  });

  it("says aloud when a movement was applied twice, and goes on with the others", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    await hold(accountId, "po_twice", 100n);
    await platform.accounts.recordRecent();
    const accounts = platform.database.db.collection<AccountDocument>("accounts");
    await accounts.updateOne({ _id: accountId }, { $set: { applied: [] } });
    await hold(accountId, "po_twice", 100n);
    const other = await platform.fundedAccount(merchantId, "1.00");
    await expect(platform.accounts.recordRecent()).rejects.toMatchObject({
      errors: [expect.objectContaining({ message: "movement po_twice:hold was applied twice" })],
    });
    expect(await accounts.findOne({ _id: other })).toMatchObject({ recent: [] });
    await accounts.deleteOne({ _id: accountId });
  });

  it.each(["", "0", "-1", "0.001", "x"])("takes no credit of %j", async (amount) => {
    const accountId = await platform.fundedAccount(merchantId, "1.00");
    const credit = { mutation: platform.operation(), merchantId, accountId, amount };
    expect(await codeOf(platform.rpc.creditAccount(credit))).toBe("INVALID_REQUEST");
  });

  it("keeps digits that no float has", async () => {
    const opened = { mutation: platform.operation(), merchantId, currencyCode: "ETH" };
    const accountId = (await platform.rpc.openAccount(opened)).account?.id ?? "";
    const amounts = ["999999999999999.000000000000000001", "0.999999999999999998"];
    for (const amount of amounts) {
      await platform.rpc.creditAccount({
        mutation: platform.operation(),
        merchantId,
        accountId,
        amount,
      });
    }
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account?.available).toBe("999999999999999.999999999999999999");
    const more = { mutation: platform.operation(), merchantId, accountId, amount: "1" };
    expect(await codeOf(platform.rpc.creditAccount(more))).toBe("INVALID_REQUEST");
  });
});

describe("an open hold", () => {
  it("stays whole in its account until its payout is known, then only its key", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const intent = {
      quote_id: "qt_o",
      reference_id: "$available",
      operation_id: "op",
      actor: { kind: "operator", id: "o" },
    } as const;
    const key = movementKey("po_o", "hold");
    const movement = { key, step: "hold", amount: 5n, payoutId: "po_o", note: "" } as const;
    const target = { merchantId, accountId, deadline: soon(), intent };
    await platform.accounts.apply(target, movement);
    await platform.accounts.recordRecent();
    const open = async () => {
      const found = await Array.fromAsync(platform.accounts.openHolds(soon()));
      return found
        .filter((each) => each.accountId === accountId)
        .flatMap(({ holds }) => holds.map((each) => each.intent?.reference_id));
    };
    expect(await open()).toEqual(["$available"]);
    await platform.accounts.closeHolds(accountId, [key]);
    await platform.accounts.recordRecent();
    expect(await open()).toEqual([]);
    expect(await platform.accounts.apply(target, movement)).toMatchObject({ outcome: "applied" });
    expect(await platform.accounts.read(merchantId, accountId)).toMatchObject({ held: 5n });
  });
});

describe("a movement", () => {
  it("happens once a key, however often it is tried", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const tries = await Promise.all(
      Array.from({ length: 12 }, () => hold(accountId, "po_a", 100n)),
    );
    expect(tries.every(({ outcome }) => outcome === "applied")).toBe(true);
    const account = await platform.accounts.read(merchantId, accountId);
    expect(account).toMatchObject({ available: 9_900n, held: 100n });
  });

  it("does not happen past its deadline by the database's clock", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const late = await hold(accountId, "po_late", 100n, new Date(Date.now() - 1));
    expect(late).toEqual({ outcome: "too_late" });
    expect(await hold(accountId, "po_late", 10_001n)).toEqual({ outcome: "insufficient" });
    expect(await hold("acc_x", "po_late", 1n)).toEqual({ outcome: "no_account" });
  });

  it("can be neither posted nor released without a hold", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    for (const step of ["post", "release"] as const) {
      const movement = { key: step, step, amount: 1n, payoutId: "po_x", note: "" };
      const target = { merchantId, accountId, deadline: soon() };
      const made = await platform.accounts.apply(target, movement);
      expect(made).toEqual({ outcome: "insufficient" });
    }
  });

  it("stays in its account until it is in the ledger and no late try can repeat it", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    await hold(accountId, "po_b", 100n);
    const accounts = platform.database.db.collection<AccountDocument>("accounts");
    const look = async () => {
      const account = await accounts.findOne({ _id: accountId });
      return [account?.recent.length, account?.applied.length, account?.dirty];
    };
    expect(await look()).toEqual([2, 0, true]);
    await platform.accounts.recordRecent();
    expect(await look()).toEqual([0, 2, true]);
    expect(await hold(accountId, "po_b", 100n)).toMatchObject({ outcome: "applied" });
    expect(await look()).toEqual([0, 2, true]);
    const past = new Date(Date.now() - 11_000);
    await accounts.updateOne({ _id: accountId }, { $set: { "applied.0.at": past } });
    await platform.accounts.recordRecent();
    expect(await look()).toEqual([0, 1, true]);
    await accounts.updateOne({ _id: accountId }, { $set: { "applied.0.at": past } });
    await platform.accounts.recordRecent();
    expect(await look()).toEqual([0, 0, undefined]);
    const key = movementKey("po_b", "hold");
    expect(await platform.accounts.findMovement(accountId, key)).toMatchObject({ sequence: 2 });
  });

  it("shows in the statement at once, newest first, page by page", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    for (const payoutId of ["po_1", "po_2", "po_3"]) await hold(accountId, payoutId, 100n);
    const page = await platform.rpc.listEntries({ merchantId, accountId, limit: 3 });
    expect(page.entries.map(({ payoutId }) => payoutId)).toEqual(["po_3", "po_2", "po_1"]);
    expect(page.entries[0]).toMatchObject({
      step: LedgerStep.HOLD,
      amount: "1.00",
      available: "97.00",
      held: "3.00",
    });
    expect(page).toMatchObject({ totalCount: 4n, totalCountCapped: false });
    const { nextCursor: cursor } = page;
    const rest = await platform.rpc.listEntries({ merchantId, accountId, limit: 3, cursor });
    expect(rest.entries.map(({ step }) => step)).toEqual([LedgerStep.CREDIT]);
    expect(rest).toMatchObject({ nextCursor: "", totalCount: 4n });
    for (const wrong of [{ limit: 101 }, { limit: -1 }, { cursor: "x" }]) {
      const list = platform.rpc.listEntries({ merchantId, accountId, ...wrong });
      expect(await codeOf(list)).toBe("INVALID_REQUEST");
    }
  });
});
