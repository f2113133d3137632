import { setTimeout as pause } from "node:timers/promises";
import { toJson } from "@bufbuild/protobuf";
import { TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AccountSchema,
  LedgerEntrySchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { AccountDocument, LedgerDocument } from "@disburse/ledger/documents.ts";
import type { Movement } from "@disburse/ledger/rules/account.ts";
import { textOf } from "@disburse/testkit/document-text.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

/** Tests complete accounts and entries, stored and returned. */

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
/** The account when opened, and after two and four entries. */
const accounts: AccountDocument[] = [];
let entries: LedgerDocument[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  const opening = { mutation: platform.operation(), merchantId, currencyCode: "USD" };
  accountId = (await platform.rpc.openAccount(opening)).account?.id ?? "";
  const stored = async () => {
    const found = await platform.ledger.accounts.findOne({ _id: accountId });
    if (found !== null) accounts.push(found);
  };
  /** The next write removes recorded entries from the account. */
  const recorded = async () => {
    const { sequence } = (await platform.ledger.accounts.findOne({ _id: accountId })) ?? {};
    await vi.waitFor(async () => {
      const found = platform.ledger.entries.countDocuments({ account_id: accountId });
      expect(await found).toBe(sequence);
    }, 10_000);
    await pause(50);
  };
  const move = async (movement: Movement) => {
    await pause(2);
    await platform.ledger.apply({ merchantId, accountId }, movement);
    await recorded();
  };
  await stored();
  await pause(2);
  const credit = { mutation: platform.operation(), merchantId, accountId, amount: "100" };
  await platform.rpc.creditAccount({ ...credit, currencyCode: "USD", note: "first" });
  await recorded();
  const payoutId = "po_1";
  await move({ step: "hold", payoutId, amount: 1_241n, note: "order-1" });
  await stored();
  await platform.tidy();
  const conversion = {
    ...{ destination: "INR", feesMinor: 37n, receivingMinor: 100_000n },
    exchangeRate: "83.1234567891",
  };
  await move({ step: "post", payoutId, conversion, note: "" });
  await move({ step: "return", payoutId, note: "" });
  await platform.tidy();
  await stored();
  const found = platform.ledger.entries.find({ account_id: accountId }).sort({ sequence: 1 });
  entries = await found.toArray();
});
afterAll(() => platform.stop());

const timeText = (at: Date) => toJson(TimestampSchema, timestampFromDate(at));

/** Formats a document as text. Times and hashes name their entry. */
function shown(document: object): string {
  const at = (time: Date) => `at ${entries.findIndex((each) => +each.created_at === +time) + 1}`;
  const lines = Object.entries(document).map(([name, value]) => `${name}: ${textOf(value, at)}`);
  return entries
    .reduce(
      (text, { hash, sequence }) => text.replaceAll(hash, `hash ${sequence}`),
      lines.join("\n"),
    )
    .replaceAll(accountId, "acc_1");
}

it("is stored with the entries that its ledger lacks", () => {
  expect(accounts.map(shown).join("\n\n")).toMatchInlineSnapshot(`
    "_id: acc_1
    schema_version: 1
    revision: 0
    merchant_id: mer_1
    currency: USD
    available: 0
    held: 0
    counts: { initiated 0, succeeded 0, failed 0 }
    sequence: 0
    head_hash: 
    recorded_sequence: 0
    recent: []
    open_holds: []
    platform: {  }
    operation_id: op-1
    actor: { kind service, id test }
    created_at: at 0
    updated_at: at 0

    _id: acc_1
    schema_version: 1
    revision: 2
    merchant_id: mer_1
    currency: USD
    available: 8759
    held: 1241
    counts: { initiated 1, succeeded 0, failed 0 }
    sequence: 2
    head_hash: hash 2
    recorded_sequence: 1
    recent: [{ key po_1:hold, step hold, amount 1241, payout_id po_1, note order-1, sequence 2, available 8759, held 1241, postings [{ account held, currency USD, amount 12.41 }, { account available, currency USD, amount -12.41 }], reverses , previous_hash hash 1, hash hash 2, created_at at 2 }]
    open_holds: [{ payout_id po_1, since at 2 }]
    platform: { platform:funding/USD -100 }
    operation_id: op-1
    actor: { kind service, id test }
    created_at: at 0
    updated_at: at 2
    credited: { from 1, to 1 }
    dirty: true
    head_due: true

    _id: acc_1
    schema_version: 1
    revision: 7
    merchant_id: mer_1
    currency: USD
    available: 10000
    held: 0
    counts: { initiated 0, succeeded 0, failed 1 }
    sequence: 4
    head_hash: hash 4
    recorded_sequence: 4
    recent: []
    open_holds: []
    platform: { platform:funding/USD -100, platform:fees/USD 0, platform:exchange/USD 0, platform:exchange/INR 0, platform:settlement/INR 0, platform:rounding/INR 0 }
    operation_id: op-1
    actor: { kind service, id test }
    created_at: at 0
    updated_at: at 4
    head_due: true"
  `);
});

it("has a ledger", () => {
  expect(entries.map(shown).join("\n\n")).toMatchInlineSnapshot(`
    "_id: acc_1:credit:op-2
    schema_version: 1
    account_id: acc_1
    merchant_id: mer_1
    currency: USD
    step: credit
    amount: 10000
    payout_id: 
    note: first
    sequence: 1
    available: 10000
    held: 0
    postings: [{ account available, currency USD, amount 100 }, { account platform:funding, currency USD, amount -100 }]
    reverses: 
    previous_hash: 
    hash: hash 1
    actor: { kind service, id test }
    created_at: at 1

    _id: po_1:hold
    schema_version: 1
    account_id: acc_1
    merchant_id: mer_1
    currency: USD
    step: hold
    amount: 1241
    payout_id: po_1
    note: order-1
    sequence: 2
    available: 8759
    held: 1241
    postings: [{ account held, currency USD, amount 12.41 }, { account available, currency USD, amount -12.41 }]
    reverses: 
    previous_hash: hash 1
    hash: hash 2
    created_at: at 2

    _id: po_1:post
    schema_version: 1
    account_id: acc_1
    merchant_id: mer_1
    currency: USD
    step: post
    amount: 1241
    payout_id: po_1
    note: 
    sequence: 3
    available: 8759
    held: 0
    postings: [{ account held, currency USD, amount -12.41 }, { account platform:fees, currency USD, amount 0.37 }, { account platform:exchange, currency USD, amount 12.04 }, { account platform:exchange, currency INR, amount -1000.806419740764 }, { account platform:settlement, currency INR, amount 1000 }, { account platform:rounding, currency INR, amount 0.806419740764 }]
    reverses: 
    previous_hash: hash 2
    hash: hash 3
    created_at: at 3

    _id: po_1:return
    schema_version: 1
    account_id: acc_1
    merchant_id: mer_1
    currency: USD
    step: return
    amount: 1241
    payout_id: po_1
    note: 
    sequence: 4
    available: 10000
    held: 0
    postings: [{ account available, currency USD, amount 12.41 }, { account platform:fees, currency USD, amount -0.37 }, { account platform:exchange, currency USD, amount -12.04 }, { account platform:exchange, currency INR, amount 1000.806419740764 }, { account platform:settlement, currency INR, amount -1000 }, { account platform:rounding, currency INR, amount -0.806419740764 }]
    reverses: po_1:post
    previous_hash: hash 3
    hash: hash 4
    created_at: at 4"
  `);
});

it("shows its statement", async () => {
  const page = await platform.rpc.listEntries({ merchantId, accountId });
  const times = entries.map((each) => timeText(each.created_at));
  const shown = page.entries.map((each) => toJson(LedgerEntrySchema, each) as object);
  expect(shown).toEqual(
    entries.toReversed().map((each) => ({
      id: each._id,
      accountId,
      sequence: String(each.sequence),
      step: `LEDGER_STEP_${each.step.toUpperCase()}`,
      currencyCode: "USD",
      amount: each.step === "credit" ? "100.00" : "12.41",
      available: ["100.00", "87.59", "87.59", "100.00"][each.sequence - 1],
      held: ["0.00", "12.41", "0.00", "0.00"][each.sequence - 1],
      ...(each.payout_id !== "" && { payoutId: "po_1" }),
      ...(each.note !== "" && { note: each.note }),
      createdAt: times[each.sequence - 1],
      postings: each.postings.map(({ account, currency, amount }) => ({
        ...{ account, currencyCode: currency, amount },
      })),
      ...(each.previous_hash !== "" && { previousHash: each.previous_hash }),
      hash: each.hash,
      ...(each.step === "return" && { reverses: "po_1:post" }),
    })),
  );
  expect(page).toMatchObject({ nextCursor: "", totalCount: 4n, totalCountCapped: false });
});

it("is returned as it is, as it was and in its merchant's list", async () => {
  const [opened] = accounts as [AccountDocument];
  const then = ({ created_at }: { created_at: Date }) => timeText(created_at);
  const account = (available: string, held: string, updatedAt: string) => ({
    ...{ id: accountId, merchantId, currencyCode: "USD", available, held },
    ...{ createdAt: then(opened), updatedAt },
  });
  const read = async (asOf?: Date) => {
    const moment = asOf && { asOf: timestampFromDate(asOf) };
    const found = await platform.rpc.getAccount({ merchantId, accountId, ...moment });
    return found.account && toJson(AccountSchema, found.account);
  };
  const [credit, hold, , returned] = entries as [
    LedgerDocument,
    LedgerDocument,
    LedgerDocument,
    LedgerDocument,
  ];
  const now = account("100.00", "0.00", then(returned));
  expect(await read()).toEqual(now);
  expect(await read(opened.created_at)).toEqual(account("0.00", "0.00", then(opened)));
  expect(await read(credit.created_at)).toEqual(account("100.00", "0.00", then(credit)));
  expect(await read(hold.created_at)).toEqual(account("87.59", "12.41", then(hold)));
  const { accounts: listed, ...rest } = await platform.rpc.listAccounts({ merchantId });
  expect(listed.map((each) => toJson(AccountSchema, each))).toEqual([now]);
  expect(rest).toMatchObject({ nextCursor: "", totalCount: 1n, totalCountCapped: false });
  const owner = await platform.rpc.resolveAccount({ accountId });
  expect(owner).toMatchObject({ accountId, merchantId, currencyCode: "USD" });
});

it("adds to the platform's balances, in order, of one currency or of all", async () => {
  const balances = async (currencyCode: string) =>
    (await platform.rpc.listPlatformBalances({ currencyCode })).balances.map(
      ({ account, currencyCode: currency, balance }) => `${account} ${currency} ${balance}`,
    );
  const opening = { mutation: platform.operation(), merchantId: "mer_2", currencyCode: "BTC" };
  const other = (await platform.rpc.openAccount(opening)).account?.id ?? "";
  const credit = { mutation: platform.operation(), merchantId: "mer_2", accountId: other };
  await platform.rpc.creditAccount({ ...credit, amount: "0.5" });
  const ofUsd = ["platform:exchange USD 0", "platform:fees USD 0", "platform:funding USD -100"];
  expect(await balances("")).toEqual([
    "platform:funding BTC -0.5",
    ...["platform:exchange INR 0", "platform:rounding INR 0", "platform:settlement INR 0"],
    ...ofUsd,
  ]);
  expect(await balances("USD")).toEqual(ofUsd);
});
