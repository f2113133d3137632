import { readStatements } from "@disburse/bank-files/iso20022/reports/statement.ts";
import { statementBalance } from "@disburse/bank-files/matching/balance.ts";
import { describe, expect, it } from "vitest";
import { camt, isForCamt } from "./camt.ts";
import { csv } from "./csv.ts";
import { pdfStatement } from "./pdf.ts";
import type { Period, StatementLine } from "./statement.ts";

const from = new Date("2026-11-01T00:00:00.000Z");
const to = new Date("2026-12-01T00:00:00.000Z");
const period: Period = {
  account: { id: "acc_1", currency: "USD" },
  from,
  to,
  opening: { available: 10_000n, held: 0n },
  closing: { available: 8_659n, held: 100n },
  credits: { count: 0, sum: 0n },
  debits: { count: 1, sum: 1_241n },
};
const line: StatementLine = {
  sequence: 3,
  entryId: "po_1:post",
  step: "post",
  at: new Date("2026-11-20T11:26:00.123Z"),
  payoutId: "po_1",
  amount: -1_241n,
  fees: 37n,
  balance: 8_759n,
  note: "",
  previousHash: "aa",
  hash: "bb",
  referenceId: "=order()",
  beneficiaryName: "山田",
  beneficiaryNameLatin: "Yamada",
  transferMethod: "SWIFT",
  reissueOf: "",
  reissuedAs: "po_2",
};

const written = (format: typeof csv) =>
  format.begin(period, to) + format.lines([line], "USD") + format.end(to, 8_759n, "USD");

it("writes CSV with balances at both ends; texts are no formulas, amounts stay numbers", () => {
  expect(written(csv).split("\r\n")).toEqual([
    "type,booked_at,amount,fees,balance,currency,payout_id,reference_id,beneficiary_name,note,sequence,entry_id,previous_hash,hash,reissue_of,reissued_as",
    "opening_balance,2026-11-01T00:00:00.000Z,,,100.00,USD,,,,,,,,,,",
    "post,2026-11-20T11:26:00.123Z,-12.41,0.37,87.59,USD,po_1,'=order(),山田,,3,po_1:post,aa,bb,,po_2",
    "closing_balance,2026-12-01T00:00:00.000Z,,,87.59,USD,,,,,,,,,,",
    "",
  ]);
  expect(csv.lines([], "USD")).toBe("");
});

describe("camt.053", () => {
  it("is read by the reader of banks' files", () => {
    const read = readStatements(Buffer.from(written(camt)));
    if ("refused" in read) throw new Error("is not readable");
    const [statement] = read.statements;
    expect([read.unread, statement?.entries.length]).toEqual([[], 1]);
    expect(statement && statementBalance(statement)).toMatchObject({
      opening: { minor: 10_000n },
      closing: { minor: 8_759n },
      difference: { minor: 0n },
    });
  });

  it("has the same id for the same account and period", () => {
    const idIn = (of: Period) => /<MsgId>(.*?)<\/MsgId>/.exec(camt.begin(of, new Date()))?.[1];
    expect(idIn(period)).toMatch(/^[0-9a-f]{32}$/);
    expect(idIn({ ...period })).toBe(idIn(period));
    expect(idIn({ ...period, to: from })).not.toBe(idIn(period));
  });

  it("is for currencies of ISO 4217", () => {
    expect([isForCamt("USD"), isForCamt("BTC")]).toEqual([true, false]);
  });
});

it("writes a PDF with and without lines", async () => {
  for (const lines of [[line], []]) {
    const pdf = await pdfStatement(period, lines, to);
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf.subarray(-6).toString()).toBe("%%EOF\n");
  }
});
