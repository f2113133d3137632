import { createPublicKey, verify } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { timestampFromDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { readStatements } from "@disburse/bank-files/iso20022/reports/statement.ts";
import { statementBalance } from "@disburse/bank-files/matching/balance.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { StatementFormat } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openPeriod, readLines } from "./period.ts";
import { canonicalJson, receiptOf } from "./rules/receipt.ts";

const merchantId = "mer_1";
const begin = new Date("2020-01-01T00:00:00.000Z");
let platform: TestPlatform;
let accountId = "";
let [settled, returned] = ["", ""];
/** A time between the first movements and the payouts. */
let middle = new Date();

beforeAll(async () => {
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount(merchantId, "100.00");
  const credit = { mutation: platform.operation(), merchantId, accountId, amount: "5.55" };
  const { entry } = await platform.rpc.creditAccount({ ...credit, note: "=cmd()" });
  // The database's clock dates the entries.
  middle = new Date(timestampMs(entry?.createdAt ?? timestampFromDate(begin)) + 1);
  await pause(5);
  const reversal = { mutation: platform.operation(), merchantId, accountId };
  await platform.rpc.reverseCredit({ ...reversal, entryId: entry?.id ?? "", note: "wrong" });
  settled = await platform.execute(accountId, "order-1");
  returned = await platform.execute(accountId, "sandbox-return");
  await platform.execute(accountId, "sandbox-fail");
  for (let second = 0; second < 8; second += 1) {
    await platform.work();
    platform.world.offsetMs += 1_000;
  }
});
afterAll(() => platform?.stop());

type Wish = { from?: Date; to?: Date; format?: StatementFormat; account?: string; of?: string };

/** Renders a complete statement, part by part. */
async function rendered({ from = begin, to, format, account, of = merchantId }: Wish = {}) {
  const request = {
    ...{ merchantId: of, accountId: account ?? accountId, from: timestampFromDate(from) },
    ...{ format: format ?? StatementFormat.CSV, ...(to && { to: timestampFromDate(to) }) },
  };
  const chunks: Uint8Array[] = [];
  let cursor = "";
  do {
    const part = await platform.statementsRpc.renderStatement({ ...request, cursor });
    chunks.push(part.chunk);
    cursor = part.nextCursor;
  } while (cursor !== "");
  return Buffer.concat(chunks);
}

type Row = Readonly<Record<string, string>>;
const rowsOf = (bytes: Buffer) => parse(bytes, { columns: true }) as Row[];
const cents = (text = "") => BigInt(text.replace(".", ""));
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => readRefusal(error)?.message,
  );

it("PDFs are queued by merchant; other formats are not", async () => {
  platform.rendered.length = 0;
  const receipt = { merchantId, payoutId: settled };
  await rendered({ format: StatementFormat.CSV });
  await platform.statementsRpc.getPayoutReceipt(receipt);
  expect(platform.rendered).toEqual([]);
  await rendered({ format: StatementFormat.PDF });
  await platform.statementsRpc.getPayoutReceipt({ ...receipt, pdf: true });
  expect(platform.rendered).toEqual([merchantId, merchantId]);
});

describe("a statement", () => {
  it("adds up to the cent, and with the ledger and the account", async () => {
    const rows = rowsOf(await rendered());
    const [opening, ...rest] = rows;
    const closing = rest.pop();
    expect(opening).toMatchObject({ type: "opening_balance", balance: "0.00", currency: "USD" });
    expect(rest.map(({ type }) => type).toSorted()).toEqual(
      ["credit", "credit", "reversal", "post", "post", "return"].toSorted(),
    );
    const sum = rest.reduce((total, { amount }) => total + cents(amount), 0n);
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(closing?.balance).toBe(formatAmount(sum, "USD"));
    expect(sum).toBe(cents(account?.available) + cents(account?.held));
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId, limit: 100 });
    const hashes = new Map(entries.map((each) => [each.id, each.hash]));
    for (const row of rest) expect(hashes.get(row.entry_id ?? "")).toBe(row.hash);
    expect(rest.find(({ payout_id }) => payout_id === settled)).toMatchObject({
      ...{ type: "post", amount: "-10.00", reference_id: "order-1" },
    });
    expect(rest[1]?.note).toBe("'=cmd()");
  });

  it("of two periods in a row joins without a gap, and one of nothing has equal balances", async () => {
    const [first, second] = [
      rowsOf(await rendered({ to: middle })),
      rowsOf(await rendered({ from: middle })),
    ];
    expect(first.at(-1)?.balance).toBe("105.55");
    expect(second[0]?.balance).toBe("105.55");
    expect(first.length + second.length).toBe(rowsOf(await rendered()).length + 2);
    const none = rowsOf(await rendered({ from: middle, to: middle }));
    expect(none.map(({ type, balance }) => [type, balance])).toEqual([
      ["opening_balance", "105.55"],
      ["closing_balance", "105.55"],
    ]);
  });

  it("covers everything if no time is given", async () => {
    const { chunk } = await platform.statementsRpc.renderStatement({ merchantId, accountId });
    expect(rowsOf(Buffer.from(chunk)).slice(1)).toEqual(
      rowsOf(await rendered())
        .slice(1, -1)
        .concat(expect.objectContaining({ type: "closing_balance" })),
    );
  });

  it("as camt.053 reads back with the same balances", async () => {
    const read = readStatements(await rendered({ format: StatementFormat.CAMT053 }));
    if ("refused" in read) throw new Error("is not readable");
    expect(read.unread).toEqual([]);
    const [its] = read.statements;
    expect(its?.entries).toHaveLength(6);
    const rows = rowsOf(await rendered());
    expect(its && statementBalance(its)).toMatchObject({
      opening: { minor: 0n },
      closing: { minor: cents(rows.at(-1)?.balance) },
      difference: { minor: 0n },
    });
  });

  it("as PDF is one, also without lines", async () => {
    for (const to of [undefined, begin]) {
      const bytes = await rendered({ format: StatementFormat.PDF, ...(to && { to }) });
      expect(bytes.subarray(0, 5).toString()).toBe("%PDF-");
      expect(bytes.subarray(-6).toString().trim()).toBe("%%EOF");
    }
  });

  it("continues after each part, and stops at a changed entry", async () => {
    const stores = { ledger: platform.ledger, payouts: platform.payouts };
    const own = { merchantId, accountId };
    const opened = await openPeriod(stores, own, { from: begin, to: new Date() });
    if (opened === undefined) throw new Error("there is no account");
    const { period } = opened;
    const found = [];
    for (let at: typeof opened.position | undefined = opened.position; at !== undefined; ) {
      const part = await readLines(stores, accountId, at, 2);
      found.push(...part.lines);
      at = part.rest;
    }
    expect(found).toHaveLength(period.credits.count + period.debits.count);
    const of = { account_id: accountId, step: "reversal" } as const;
    const stored = await platform.ledger.entries.findOne(of);
    await platform.ledger.entries.updateOne(of, { $mul: { amount: 2 } });
    await expect(rendered()).rejects.toThrow();
    if (stored !== null) await platform.ledger.entries.replaceOne(of, stored);
    await rendered();
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ["another merchant's", () => rendered({ of: "mer_2" }), "Unable to find the record requested."],
    ["the platform's", () => rendered({ of: "platform" }), "Unable to find the record requested."],
    [
      "an end before its beginning",
      () => rendered({ from: middle, to: begin }),
      "to: must be after from",
    ],
  ])("is refused for %s", async (_, call, message) => {
    expect(await refusalOf(call())).toBe(message);
  });

  it("of coins has no camt.053", async () => {
    const opening = { mutation: platform.operation(), merchantId, currencyCode: "BTC" };
    const { account } = await platform.rpc.openAccount(opening);
    const of = { account: account?.id ?? "" };
    expect(rowsOf(await rendered(of))[0]?.balance).toBe("0.00000000");
    const message = await refusalOf(rendered({ ...of, format: StatementFormat.CAMT053 }));
    expect(message).toBe("format: camt.053 has no amounts of BTC; take csv or pdf");
  });
});

describe("a receipt", () => {
  const receiptFor = (payoutId: string) =>
    platform.statementsRpc.getPayoutReceipt({ merchantId, payoutId });

  it("is signed over its canonical text, and names the ledger's entries by their hashes", async () => {
    const { receipt, signature, keyId } = await receiptFor(settled);
    expect(receipt).toMatchObject({
      payoutId: settled,
      status: "succeeded",
      sourceAmount: "10.00",
    });
    expect(receipt?.ledger.map(({ step }) => step)).toEqual(["hold", "post"]);
    const { entries } = await platform.rpc.listEntries({
      merchantId,
      accountId,
      payoutId: settled,
    });
    const hashes = entries.map(({ hash }) => hash).toReversed();
    expect(receipt?.ledger.map(({ hash }) => hash)).toEqual(hashes);
    expect(keyId).toBe(platform.receiptJwk.kid);
    const payout = await platform.history(settled);
    if (payout === undefined || receipt === undefined) throw new Error("there is no payout");
    const signed = receiptOf(payout.payout, [], new Date(receipt.issuedAt));
    const ledger = receipt.ledger.map(({ $typeName: _, ...each }) => ({
      ...{ id: each.id, step: each.step, sequence: each.sequence, amount: each.amount },
      ...{ created_at: each.createdAt, previous_hash: each.previousHash, hash: each.hash },
    }));
    const text = `disburse payout receipt 1\n${canonicalJson({ ...signed, ledger })}`;
    const key = createPublicKey({ key: platform.receiptJwk, format: "jwk" });
    expect(verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"))).toBe(true);
  });

  it("of a returned payout has its return", async () => {
    const { receipt } = await receiptFor(returned);
    expect(receipt).toMatchObject({ status: "failed", subStatus: "returned" });
    expect(receipt?.ledger.map(({ step }) => step)).toEqual(["hold", "post", "return"]);
  });

  it("is there as PDF, and for its own merchant alone", async () => {
    const request = { merchantId, payoutId: settled, pdf: true };
    const { pdf, receipt } = await platform.statementsRpc.getPayoutReceipt(request);
    expect(Buffer.from(pdf).subarray(0, 5).toString()).toBe("%PDF-");
    expect(receipt).toBeUndefined();
    const other = platform.statementsRpc.getPayoutReceipt({ ...request, merchantId: "mer_2" });
    expect(await refusalOf(other)).toBe("Unable to find the record requested.");
  });
});
