import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { validateXML } from "xmllint-wasm";
import { statementBalance } from "../../matching/balance.ts";
import { readOnlyStatement } from "../../test-read.ts";
import {
  type CustomerEntry,
  type CustomerStatement,
  statementBegin,
  statementEnd,
  statementEntry,
} from "./write-statement.ts";

const usd = (minor: bigint) => ({ minor, currency: "USD" });
const at = new Date("2026-11-20T11:26:00.123Z");

const statement: CustomerStatement = {
  id: "S20261101-20261201-0123456789ab",
  createdAt: new Date("2026-12-01T00:00:01.000Z"),
  from: new Date("2026-11-01T00:00:00.000Z"),
  to: new Date("2026-12-01T00:00:00.000Z"),
  accountId: "acc_01hqz0000000000000000000ab",
  currency: "USD",
  opening: usd(10_000n),
  closing: usd(13_751n),
  openingAvailable: usd(10_000n),
  closingAvailable: usd(13_000n),
  credits: { count: 1, sum: usd(5_000n) },
  debits: { count: 1, sum: usd(1_249n) },
};

const entries: CustomerEntry[] = [
  {
    ...{ number: 1, amount: usd(5_000n), direction: "credit", isReversal: false, at },
    ...{ reference: "0123456789abcdef", family: "RCDT", kind: "OTHR" },
    ...{ endToEndId: "", text: "wire <of> May & June" },
  },
  {
    ...{ number: 3, amount: usd(1_249n), direction: "debit", isReversal: false, at },
    ...{ reference: "fedcba9876543210", family: "ICDT", kind: "XBCT", fees: usd(49n) },
    ...{ endToEndId: "order-1001", text: `${"x".repeat(499)}😀y` },
  },
];

const written = (lines: readonly CustomerEntry[]) =>
  [statementBegin(statement), ...lines.map(statementEntry), statementEnd].join("");

const schema = readFileSync(new URL("../schemas/camt.053.001.08.xsd", import.meta.url), "utf8");
const breaches = async (xml: string) =>
  (
    await validateXML({
      xml: { fileName: "file.xml", contents: xml },
      schema: { fileName: "camt.xsd", contents: schema },
    })
  ).errors;

describe("a statement for a customer", () => {
  it("matches the schema, with and without entries", async () => {
    expect(await breaches(written(entries))).toEqual([]);
    expect(await breaches(written([]))).toEqual([]);
    expect(await breaches(written(entries).replace("<RvslInd>false</RvslInd>", ""))).toEqual([]);
    expect(await breaches(written(entries).replace("<Cd>BOOK</Cd>", ""))).not.toEqual([]);
  });

  it("reads back, adds up, and keeps the customer's own reference", () => {
    const read = readOnlyStatement(new TextEncoder().encode(written(entries)));
    const [its] = read.statements;
    expect(read.unread).toEqual([]);
    expect(its?.balances.map(({ type, amount }) => [type, amount.minor])).toEqual([
      ["OPBD", 10_000n],
      ["CLBD", 13_751n],
      ["OPAV", 10_000n],
      ["CLAV", 13_000n],
    ]);
    expect(its?.entries.map(({ amount, direction }) => [amount.minor, direction])).toEqual([
      [5_000n, "credit"],
      [1_249n, "debit"],
    ]);
    expect(its === undefined ? undefined : statementBalance(its)).toMatchObject({
      difference: { minor: 0n },
    });
    expect(written(entries)).toContain("<EndToEndId>order-1001</EndToEndId>");
    expect(written(entries)).toContain("<EndToEndId>NOTPROVIDED</EndToEndId>");
    expect(written(entries)).toContain("wire &lt;of&gt; May &amp; June");
  });

  it.each([35, 36])("names a reference of %i characters where it fits", (length) => {
    const [, second] = entries;
    const text = statementEntry({ ...second!, endToEndId: "r".repeat(length) });
    expect(text.includes("NOTPROVIDED")).toBe(length > 35);
  });
});
