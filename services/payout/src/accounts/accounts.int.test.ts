import { fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { LedgerStep } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { readAccount } from "@disburse/ledger/accounts.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unknownMerchantId } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

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

function hold(accountId: string, payoutId: string, amount: bigint) {
  const movement = { step: "hold", amount, payoutId, note: "" } as const;
  return platform.ledger.apply({ merchantId, accountId }, movement);
}

describe("an account", () => {
  it("is opened once per operation", async () => {
    const mutation = platform.operation();
    const open = () => platform.rpc.openAccount({ mutation, merchantId, currencyCode: "BTC" });
    const [first, second] = await Promise.all([open(), open()]);
    expect(first).toEqual(second);
    expect(first.account).toMatchObject({ available: "0.00000000", held: "0.00000000" });
    for (const wrong of [{ currencyCode: "GBP" }, { merchantId: "" }]) {
      const opening = { mutation: platform.operation(), merchantId, currencyCode: "BTC" };
      const opened = platform.rpc.openAccount({ ...opening, ...wrong });
      expect(await codeOf(opened)).toBe("INVALID_REQUEST");
    }
  });

  it("is opened for a registered merchant alone", async () => {
    const open = (of: string) =>
      platform.rpc.openAccount({
        ...{ mutation: platform.operation(), merchantId: of, currencyCode: "USD" },
      });
    const refusal = await open(unknownMerchantId).catch(readRefusal);
    expect(refusal).toEqual({ code: "RECORD_NOT_FOUND", message: "merchant_id: is not known" });
    expect(await platform.ledger.accounts.countDocuments({ merchant_id: unknownMerchantId })).toBe(
      0,
    );
    platform.world.isRegistryAway = true;
    expect(isUnavailable(await open("mer_new").catch((error: unknown) => error))).toBe(true);
    platform.world.isRegistryAway = false;
  });

  it("of an operation that another merchant's has too is its own, also at a repeat", async () => {
    await platform.fundedAccount("mer_b", "1.00");
    // Any index returns the merchant's other account first.
    const mutation = { ...platform.operation(), operationId: "op-of-both" };
    const open = async (of: string) => {
      const opened = await platform.rpc.openAccount({
        ...{ mutation, merchantId: of, currencyCode: "USD" },
      });
      return opened.account?.id ?? "";
    };
    const merchantOf = async (accountId: string) =>
      (await platform.rpc.resolveAccount({ accountId })).merchantId;
    const [a, b] = [await open("mer_a"), await open("mer_b")];
    expect([await open("mer_a"), await open("mer_b")]).toEqual([a, b]);
    expect([await merchantOf(a), await merchantOf(b)]).toEqual(["mer_a", "mer_b"]);
    expect(await codeOf(merchantOf("acc_x"))).toBe("RECORD_NOT_FOUND");
  });

  it("of another merchant is not found: its balance, its statement, a credit to it", async () => {
    const accountId = await platform.fundedAccount(merchantId, "1.00");
    const foreign = { merchantId: "mer_2", accountId };
    expect(await codeOf(platform.rpc.getAccount(foreign))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(platform.rpc.listEntries(foreign))).toBe("RECORD_NOT_FOUND");
    const credit = { mutation: platform.operation(), ...foreign, amount: "1" };
    expect(await codeOf(platform.rpc.creditAccount(credit))).toBe("RECORD_NOT_FOUND");
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account?.available).toBe("1.00");
  });

  it("of another merchant is not listed, nor counted", async () => {
    await platform.fundedAccount(merchantId, "1.00");
    const other = await platform.rpc.listAccounts({ merchantId: "mer_other" });
    expect(other).toMatchObject({ accounts: [], nextCursor: "", totalCount: 0n });
  });

  it("is credited once per operation, exactly", async () => {
    const accountId = await platform.fundedAccount(merchantId, "0.10");
    const mutation = platform.operation();
    const credit = (amount: string) =>
      platform.rpc.creditAccount({ mutation, merchantId, accountId, amount });
    const answers = await Promise.all(Array.from({ length: 8 }, () => credit("0.20")));
    expect(answers.every(({ entry }) => entry?.available === "0.30")).toBe(true);
    expect(await codeOf(credit("7.00"))).toBe("INVALID_REQUEST");
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
    for (const wrong of [{ limit: 101 }, { limit: -1 }, { cursor: "x" }]) {
      expect(await codeOf(platform.rpc.listAccounts({ ...lister, ...wrong }))).toBe(
        "INVALID_REQUEST",
      );
    }
  });

  it("stores the actors and notes of a credit and its reversal", async () => {
    const accountId = await platform.fundedAccount(merchantId, "1.00");
    const note = "x".repeat(255);
    const of = { merchantId, accountId, note: ` ${note} ` };
    const credit = { mutation: platform.operation(), ...of, amount: "2.00" };
    const { entry } = await platform.rpc.creditAccount(credit);
    const reversal = { mutation: platform.operation(), ...of, entryId: entry?.id ?? "" };
    await platform.rpc.reverseCredit(reversal);
    await platform.tidy();
    const found = platform.ledger.entries.find({ account_id: accountId }).sort({ sequence: 1 });
    const actor = { kind: "service", id: "test" };
    expect((await found.toArray()).map((each) => [each.step, each.actor, each.note])).toEqual([
      ["credit", actor, ""],
      ["credit", actor, note],
      ["reversal", actor, note],
    ]);
  });

  it.each<[string, object, RegExp]>([
    ["no amount", { amount: "" }, /amount: must be a decimal number/],
    ["nothing", { amount: "0" }, /amount: must be greater than zero/],
    ["less than nothing", { amount: "-1" }, /amount: must be greater than zero/],
    ["more decimals than the currency has", { amount: "0.001" }, /at most 2 decimals/],
    ["words", { amount: "x" }, /amount: must be a decimal number/],
    ["an exponent past all digits", { amount: "1e400" }, /amount: must be a decimal number/],
    ["16 digits before the point", { amount: `1${"0".repeat(15)}` }, /at most 15 digits/],
    ["35 digits", { amount: "9".repeat(35) }, /at most 15 digits/],
    ["another currency", { currencyCode: "INR" }, /currency_code: must be the account's currency/],
    ["an unknown currency", { currencyCode: "XXX" }, /must be the account's currency/],
    ["a note with a control character", { note: "a\u0000b" }, /note: must be/],
    ["a note of 256 characters", { note: "x".repeat(256) }, /note: must be/],
  ])("refuses a credit of %s and names the reason", async (_what, change, sentence) => {
    const accountId = await platform.fundedAccount(merchantId, "1.00");
    const credit = { mutation: platform.operation(), merchantId, accountId, amount: "1" };
    const answer = platform.rpc.creditAccount({ ...credit, ...change });
    await expect(answer).rejects.toThrow(sentence);
    expect(await codeOf(answer)).toBe("INVALID_REQUEST");
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account?.available).toBe("1.00");
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

describe("a credit in error", () => {
  it("is taken back once, whole, while its money is there", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const { entry } = await platform.rpc.creditAccount({
      ...{ mutation: platform.operation(), merchantId, accountId, amount: "7.00" },
    });
    const of = { merchantId, accountId, entryId: entry?.id ?? "", note: "typing error" };
    const reverse = (change: object = {}) =>
      platform.rpc.reverseCredit({ mutation: platform.operation(), ...of, ...change });
    expect(await codeOf(reverse({ note: " " }))).toBe("INVALID_REQUEST");
    expect(await codeOf(reverse({ entryId: `${of.entryId}x` }))).toBe("RECORD_NOT_FOUND");
    await hold(accountId, `po_${accountId}`, 10_001n);
    expect(await codeOf(reverse())).toBe("INSUFFICIENT_BALANCE");
    const target = { merchantId, accountId };
    const payoutId = `po_${accountId}`;
    await platform.ledger.apply(target, { step: "release", payoutId, note: "" });
    const [first, second] = await Promise.all([reverse(), reverse()]);
    expect(first).toEqual(second);
    expect(first.entry).toMatchObject({
      ...{ step: LedgerStep.REVERSAL, amount: "7.00", available: "100.00" },
      reverses: of.entryId,
    });
  });

  it("of another merchant's account is not found, and nothing moves", async () => {
    const accountId = await platform.fundedAccount(merchantId, "7.00");
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId });
    const entryId = entries[0]?.id ?? "";
    const foreign = { mutation: platform.operation(), merchantId: "mer_2", accountId, entryId };
    const reversed = platform.rpc.reverseCredit({ ...foreign, note: "typing error" });
    expect(await codeOf(reversed)).toBe("RECORD_NOT_FOUND");
    const account = await readAccount(platform.ledger, merchantId, accountId);
    expect(account?.available).toBe(700n);
  });

  it("of another account of the merchant is not found, and nothing moves", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const otherId = await platform.fundedAccount(merchantId, "100.00");
    await platform.tidy();
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId: otherId });
    const entryId = entries[0]?.id ?? "";
    const read = () =>
      Promise.all([accountId, otherId].map((id) => readAccount(platform.ledger, merchantId, id)));
    const before = await read();
    const request = { mutation: platform.operation(), merchantId, accountId, entryId };
    const reversed = platform.rpc.reverseCredit({ ...request, note: "typing error" });
    expect(await codeOf(reversed)).toBe("RECORD_NOT_FOUND");
    expect(await read()).toEqual(before);
  });
});

describe("the settings of an account", () => {
  const open = () => platform.fundedAccount(merchantId, "100.00");
  type Settings = { name?: string; lowBalanceThreshold?: string };
  const update = async (accountId: string, settings: Settings, of = merchantId) => {
    const mutation = platform.operation();
    const asked = { mutation, merchantId: of, accountId, unreadable: [], ...settings };
    return (await platform.rpc.updateAccount(asked)).account;
  };

  it("are shown wherever the account is, trimmed and with all decimals", async () => {
    const accountId = await open();
    const changed = await update(accountId, { name: "  Payroll ", lowBalanceThreshold: "50" });
    const shown = { name: "Payroll", lowBalanceThreshold: "50.00" };
    expect(changed).toMatchObject(shown);
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account).toEqual(changed);
    const asOf = timestampFromDate(new Date());
    expect((await platform.rpc.getAccount({ merchantId, accountId, asOf })).account).toMatchObject(
      shown,
    );
    const { accounts } = await platform.rpc.listAccounts({ merchantId, limit: 100 });
    expect(accounts.find(({ id }) => id === accountId)).toMatchObject(shown);
    const removed = await update(accountId, { name: "", lowBalanceThreshold: "" });
    expect(removed).toMatchObject({ name: "", lowBalanceThreshold: "" });
  });

  it.each<[string, Settings]>([
    ["nothing", {}],
    ["a long name", { name: "a".repeat(101) }],
    ["a control character", { name: "a\u0007b" }],
    ["too many decimals", { lowBalanceThreshold: "1.001" }],
    ["zero", { lowBalanceThreshold: "0" }],
    ["no number", { lowBalanceThreshold: "much" }],
  ])("are not changed by %s", async (_what, settings) => {
    const accountId = await open();
    await update(accountId, { name: "Payroll" });
    const before = await platform.ledger.accounts.findOne({ _id: accountId });
    expect(await codeOf(update(accountId, settings))).toBe("INVALID_REQUEST");
    expect(await platform.ledger.accounts.findOne({ _id: accountId })).toEqual(before);
  });

  it("of another merchant's account, or of a rail's, are not found", async () => {
    const accountId = await open();
    expect(await codeOf(update(accountId, { name: "x" }, "mer_2"))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(update(accountId, { name: "x" }, "platform"))).toBe("RECORD_NOT_FOUND");
  });

  it("belong to their operation: another content is refused", async () => {
    const accountId = await open();
    const mutation = platform.operation();
    const own = { mutation, merchantId, accountId, unreadable: [] };
    await platform.rpc.updateAccount({ ...own, name: "Payroll" });
    const other = platform.rpc.updateAccount({ ...own, name: "Other" });
    expect(await codeOf(other)).toBe("INVALID_REQUEST");
  });

  it("send an event when the balance falls below the threshold", async () => {
    const accountId = await open();
    await update(accountId, { name: "Payroll", lowBalanceThreshold: "50" });
    await hold(accountId, `po_${accountId}`, 6_000n);
    await platform.sweep();
    const events = platform.accountEvents.map((body) => fromBinary(OptInEventSchema, body));
    const own = events.filter(({ transactionId }) => transactionId === accountId);
    expect(own.map(({ transactionType }) => transactionType)).toContain("account.balance_low");
  });
});

describe("a closed account", () => {
  const own = (accountId: string) => ({ mutation: platform.operation(), merchantId, accountId });
  const close = (accountId: string) => platform.rpc.closeAccount(own(accountId));
  const payoutOf = (accountId: string) => `po_closed_${accountId}`;
  /** An account of 100.00, all of it held for one payout. */
  async function spent() {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    await hold(accountId, payoutOf(accountId), 10_000n);
    return accountId;
  }
  const end = (accountId: string, step: "release" | "return") =>
    platform.ledger.apply(
      { merchantId, accountId },
      { step, payoutId: payoutOf(accountId), note: "" },
    );

  it("has nothing available when it is closed, and a repeat closes nothing", async () => {
    const accountId = await platform.fundedAccount(merchantId, "0.01");
    const refusal = await close(accountId).catch(readRefusal);
    expect(refusal).toEqual({
      code: "STATE_NOT_REACHABLE",
      message: "The account has 0.01 USD available. It must have none.",
    });
    await hold(accountId, payoutOf(accountId), 1n);
    const { account } = await close(accountId);
    expect(account?.closedAt).toBeDefined();
    expect((await close(accountId)).account).toEqual(account);
    const foreign = { ...own(accountId), merchantId: "mer_2" };
    expect(await codeOf(platform.rpc.closeAccount(foreign))).toBe("RECORD_NOT_FOUND");
  });

  it("takes no hold and no credit; repeats of earlier ones return them", async () => {
    const accountId = await platform.fundedAccount(merchantId, "0.01");
    const credit = { ...own(accountId), amount: "1.00" };
    await platform.rpc.creditAccount(credit);
    await hold(accountId, payoutOf(accountId), 101n);
    await close(accountId);
    expect(await hold(accountId, "po_late", 1n)).toEqual({ outcome: "closed" });
    expect((await hold(accountId, payoutOf(accountId), 101n)).outcome).toBe("applied");
    expect(await codeOf(platform.rpc.creditAccount(credit))).toBe("OK");
    const late = platform.rpc.creditAccount({ ...own(accountId), amount: "1.00" });
    expect(await codeOf(late)).toBe("SOURCE_ACCOUNT_CLOSED");
    expect((await platform.rpc.resolveAccount({ accountId })).closed).toBe(true);
  });

  it("ends what it holds: post, release and return; its statement stays", async () => {
    const [released, returned] = [await spent(), await spent()];
    await Promise.all([close(released), close(returned)]);
    await end(released, "release");
    const conversion = { destination: "USD", feesMinor: 0n, receivingMinor: 10_000n };
    const post = { step: "post", payoutId: payoutOf(returned), note: "" } as const;
    await platform.ledger.apply(
      { merchantId, accountId: returned },
      { ...post, conversion: { ...conversion, exchangeRate: "1" } },
    );
    await end(returned, "return");
    for (const accountId of [released, returned]) {
      const { account } = await platform.rpc.getAccount({ merchantId, accountId });
      expect(account).toMatchObject({ available: "100.00", held: "0.00" });
      expect(await hold(accountId, "po_late", 1n)).toEqual({ outcome: "closed" });
    }
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId: returned });
    expect(entries.map(({ step }) => step)).toEqual([
      ...[LedgerStep.RETURN, LedgerStep.POST, LedgerStep.HOLD, LedgerStep.CREDIT],
    ]);
  });

  it("either has a concurrent hold, or refuses it", async () => {
    for (let run = 0; run < 10; run += 1) {
      const accountId = await platform.fundedAccount(merchantId, "1.00");
      const [held, closed] = await Promise.all([
        hold(accountId, payoutOf(accountId), 100n),
        codeOf(close(accountId)),
      ]);
      expect(["applied OK", "applied STATE_NOT_REACHABLE"]).toContain(`${held.outcome} ${closed}`);
      const rest = await codeOf(close(accountId));
      expect([rest, (await hold(accountId, "po_late", 1n)).outcome]).toEqual(["OK", "closed"]);
    }
  });

  it("refuses scheduled payouts and batches, and pays again once it is open again", async () => {
    const accountId = await spent();
    await close(accountId);
    const terms = {
      ...{ accountId, beneficiaryId: "ben_1", sourceAmount: "10.00" },
      ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD" },
    };
    const scheduledAt = new Date(Date.now() + 60_000).toISOString();
    const schedule = () =>
      codeOf(platform.ordersRpc.schedulePayout({ ...own(accountId), ...terms, scheduledAt }));
    const batch = () =>
      codeOf(platform.ordersRpc.createBatch({ ...own(accountId), lines: [terms] }));
    expect([await schedule(), await batch()]).toEqual([
      ...["SOURCE_ACCOUNT_CLOSED", "INVALID_REQUEST"],
    ]);
    const { account } = await platform.rpc.reopenAccount(own(accountId));
    expect(account?.closedAt).toBeUndefined();
    expect([await schedule(), await batch()]).toEqual(["OK", "OK"]);
    expect(await hold(accountId, "po_late", 1n)).toEqual({ outcome: "insufficient" });
  });

  it("refuses an execute of a quote from before, which stays open", async () => {
    const accountId = await spent();
    await close(accountId);
    const executed = platform.rpc.executePayout({
      ...{ mutation: platform.operation(), merchantId, quoteId: platform.quote(accountId) },
      ...{ referenceId: "", remittanceInformation: "", purposeCode: "" },
    });
    expect(await codeOf(executed)).toBe("SOURCE_ACCOUNT_CLOSED");
  });
});

describe("a movement", () => {
  it("happens once a key, however often it is tried", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const tries = await Promise.all(
      Array.from({ length: 12 }, () => hold(accountId, "po_a", 100n)),
    );
    expect(tries.every(({ outcome }) => outcome === "applied")).toBe(true);
    const account = await readAccount(platform.ledger, merchantId, accountId);
    expect(account).toMatchObject({ available: 9_900n, held: 100n });
  });

  it("is refused alone: others of the same moment go on", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const amounts = [6_000n, 6_000n, 3_000n, 2_000n, 1_000n];
    const made = await Promise.all(
      amounts.map((amount, at) => hold(accountId, `po_${accountId}_${at}`, amount)),
    );
    const outcomes = made.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["applied", "insufficient", "applied", "insufficient", "applied"]);
    expect(await hold("acc_x", "po_late", 1n)).toEqual({ outcome: "no_account" });
  });

  it("is posted twice, to the merchant's balance and to the platform's", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const platformSums = async () => {
      const { balances } = await platform.rpc.listPlatformBalances({ currencyCode: "INR" });
      return Object.fromEntries(balances.map(({ account, balance }) => [account, balance]));
    };
    const before = await platformSums();
    await hold(accountId, "po_posted", 1_241n);
    const conversion = {
      ...{ destination: "INR", feesMinor: 37n, receivingMinor: 100_000n },
      exchangeRate: "83.1234567891",
    };
    const movement = { step: "post", payoutId: "po_posted", note: "", conversion } as const;
    await platform.ledger.apply({ merchantId, accountId }, movement);
    expect(before).toEqual({});
    expect(await platformSums()).toEqual({
      "platform:exchange": "-1000.806419740764",
      "platform:rounding": "0.806419740764",
      "platform:settlement": "1000",
    });
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId, limit: 1 });
    expect(entries[0]?.postings).toContainEqual(
      expect.objectContaining({ account: "platform:fees", currencyCode: "USD", amount: "0.37" }),
    );
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

  it("has nothing in its account before the first of them, available or held", async () => {
    const opening = { mutation: platform.operation(), merchantId, currencyCode: "USD" };
    const { account: opened } = await platform.rpc.openAccount(opening);
    const accountId = opened?.id ?? "";
    await new Promise((resolve) => setTimeout(resolve, 5));
    const credit = { mutation: platform.operation(), merchantId, accountId, amount: "5.00" };
    await platform.rpc.creditAccount(credit);
    await hold(accountId, `po_${accountId}`, 100n);
    const { account } = await platform.rpc.getAccount({
      ...{ merchantId, accountId, asOf: opened?.createdAt },
    });
    expect(account).toMatchObject({ available: "0.00", held: "0.00" });
  });

  it("is found by its step, its payout and its time, and the balance of any time with it", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const past = new Date(Date.now() - 1);
    const times: Date[] = [];
    for (const at of [1, 2, 3]) {
      const made = await hold(accountId, `po_${accountId}_${at}`, 100n);
      if (made.outcome === "applied") times.push(made.entry.createdAt);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const list = async (filter: object) => {
      const found = await platform.rpc.listEntries({ merchantId, accountId, limit: 2, ...filter });
      return [found.entries.map(({ sequence }) => Number(sequence)), Number(found.totalCount)];
    };
    const second = timestampFromDate(times[1] ?? past);
    expect(await list({ step: LedgerStep.HOLD })).toEqual([[4, 3], 3]);
    expect(await list({ step: LedgerStep.CREDIT })).toEqual([[1], 1]);
    expect(await list({ step: LedgerStep.POST })).toEqual([[], 0]);
    expect(await list({ payoutId: `po_${accountId}_2` })).toEqual([[3], 1]);
    expect(await list({ payoutId: "po_of_nobody" })).toEqual([[], 0]);
    expect(await list({ createdFrom: second })).toEqual([[4, 3], 2]);
    expect(await list({ createdTo: second })).toEqual([[2, 1], 2]);
    expect(await list({ createdTo: second, step: LedgerStep.HOLD })).toEqual([[2], 1]);
    expect(await list({ createdFrom: second, createdTo: second })).toEqual([[], 0]);
    const asOf = async (time: Date) => {
      const { account } = await platform.rpc.getAccount({
        ...{ merchantId, accountId, asOf: timestampFromDate(time) },
      });
      return account?.available;
    };
    expect(await asOf(times[1] ?? past)).toBe("98.00");
    expect(await asOf(new Date((times[1] ?? past).getTime() - 1))).toBe("99.00");
    expect(await asOf(new Date(Date.now() + 60_000))).toBe("97.00");
    expect(await codeOf(asOf(new Date(past.getTime() - 60_000)))).toBe("INVALID_REQUEST");
  });
});
