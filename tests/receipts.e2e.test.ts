import { Disburse } from "@disburse/sdk/disburse.ts";
import { isDisburseError } from "@disburse/sdk/disburse-error.ts";
import { type ReceiptKeys, verifyReceipt } from "@disburse/sdk/verify-receipt.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { payerOf } from "./payer.ts";

/** Tests statements and receipts as a merchant gets them: over HTTP, on a real platform. */

let platform: TestPlatform;
let client: Disburse;
let accountId = "";
let payoutId = "";
beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "50" });
  client = clientOf("acme");
  accountId = platform.accountId("acme", "USD");
  const { id } = await payerOf(platform, "acme").quote("USD", "USD", { source_amount: "12.34" });
  payoutId = (await client.payouts.execute({ quote_id: id, reference_id: "invoice-7" })).id;
  await vi.waitFor(
    async () => expect((await client.payouts.get(payoutId)).status).toBe("succeeded"),
    { timeout: 30_000, interval: 50 },
  );
});
afterAll(() => platform?.stop());

const clientOf = (name: "acme" | "globex") =>
  new Disburse({ baseUrl: platform.baseUrl, apiKey: platform.apiKey(name) });
const get = (path: string, merchant: "acme" | "globex" = "acme") =>
  fetch(platform.baseUrl + path, {
    headers: { authorization: `Bearer ${platform.apiKey(merchant)}` },
  });
const statementPath = (query: string) =>
  `/api/v1/transfer/accounts/${accountId}/statements?${query}`;

describe("a statement", () => {
  it("adds up with the balance that the account has", async () => {
    const answer = await get(statementPath("from=2020-01-01"));
    expect(answer.headers.get("content-disposition")).toContain("statement.csv");
    const [head = "", ...texts] = (await answer.text()).trimEnd().split("\r\n");
    const names = head.split(",");
    // The columns used here precede the texts, which may contain commas.
    const rows = texts.map((text): Record<string, string> => {
      return Object.fromEntries(text.split(",").map((cell, at) => [names[at] ?? "", cell]));
    });
    const cents = (text = "") => BigInt(text.replace(".", ""));
    const lines = rows.slice(1, -1);
    const sum = lines.reduce((total, { amount }) => total + cents(amount), 0n);
    const { available, held } = await client.accounts.get(accountId);
    expect(sum).toBe(cents(available) + cents(held));
    expect(cents(rows.at(-1)?.balance)).toBe(sum);
    expect(lines.at(-1)).toMatchObject({
      type: "post",
      reference_id: "invoice-7",
      amount: "-12.34",
    });
  });

  it.each([
    ["camt053", "application/xml; charset=utf-8", "statement.xml", "<?xml"],
    ["pdf", "application/pdf", "statement.pdf", "%PDF-"],
  ])("comes as %s", async (format, type, name, begin) => {
    const answer = await get(statementPath(`from=2020-01-01&format=${format}`));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type]);
    expect(answer.headers.get("content-disposition")).toContain(name);
    expect((await answer.text()).startsWith(begin)).toBe(true);
  });

  it.each([
    ["from=2026-01-02&to=2026-01-01", 400, "to: must be after from"],
    ["from=2026-01-02&format=xls", 400, "format: must be one of"],
  ])("asked for with %j is %i", async (query, status, message) => {
    const answer = await get(statementPath(query));
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining(message) });
  });

  it("is its merchant's alone", async () => {
    expect((await get(statementPath("from=2020-01-01"), "globex")).status).toBe(404);
  });
});

describe("a receipt", () => {
  it("is checked offline with the published keys, until one character of it differs", async () => {
    const file = await (await get(`/api/v1/transfer/payouts/${payoutId}/receipt`)).text();
    const published = await fetch(`${platform.baseUrl}/.well-known/disburse-keys.json`);
    const keys = (await published.json()) as ReceiptKeys;
    const receipt = verifyReceipt(file, keys);
    expect(receipt).toMatchObject({
      payout_id: payoutId,
      source_amount: "12.34",
      status: "succeeded",
    });
    const { records } = await client.accounts.listEntries(accountId, { payout_id: payoutId });
    expect(receipt.ledger.map(({ hash }) => hash)).toEqual(
      records.map(({ hash }) => hash).toReversed(),
    );
    expect(() => verifyReceipt(file.replace("12.34", "12.35"), keys)).toThrow(
      "does not match its signature",
    );
    expect(verifyReceipt(await client.payouts.getReceipt(payoutId), keys).status).toBe("succeeded");
  });

  it("comes as PDF, and to its own merchant alone", async () => {
    const path = `/api/v1/transfer/payouts/${payoutId}/receipt`;
    const answer = await get(`${path}.pdf`);
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    expect((await answer.text()).startsWith("%PDF-")).toBe(true);
    expect((await get(path, "globex")).status).toBe(404);
    const other = clientOf("globex").payouts.getReceipt(payoutId);
    const code = await other.catch((error: unknown) => isDisburseError(error) && error.code);
    expect(code).toBe("RECORD_NOT_FOUND");
  });
});
