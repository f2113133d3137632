import { expect, it } from "vitest";
import type { StatusReport } from "../iso20022/reports/status-report.ts";
import type { BankFile } from "../read.ts";
import { judge } from "./judge.ts";
import { SentPayments } from "./sent-payment.ts";
import { bare, sentPayment } from "./test-sent.ts";

const profile = {
  ...{ accounts: [], returnChargesMax: 0n, entriesSettle: true },
  ...{ statusSettles: false, notExecutedCodes: new Set<string>() },
};

/** A rejection of the payment E1, as one document of a file. */
function rejection(code: string): BankFile["documents"][number] {
  const payment = { endToEndId: "E1", status: "RJCT", reasons: [{ code }] } as const;
  const report: StatusReport = {
    original: {},
    group: { reasons: [] },
    batches: [{ reasons: [], payments: [payment] }],
    unread: [],
  };
  return { kind: "status", report };
}

it("keeps a document's evidence of a payment for the documents after it", () => {
  const file: BankFile = { documents: [rejection("DUPL"), rejection("AC04")], unread: [] };
  const verdicts = judge(file, new SentPayments([sentPayment(1)]), profile);
  const unknown = {
    ...{ verdict: "unknown_outcome", payoutId: "po_1", why: "rejected-as-duplicate" },
  };
  expect(verdicts.map(bare)).toEqual([
    { ...unknown, document: 1 },
    { ...unknown, document: 2 },
  ]);
});

it("keeps evidence of an entry of a NACHA file for the entries after it", () => {
  const trace = "121042880000001";
  const base = { originalTrace: trace, originalRdfi: "12104288", trace: "231380100000001" };
  const entry = (line: number, code: string) => ({
    line,
    direction: "credit" as const,
    transactionCode: "21",
    routing: "121042882",
    account: "1",
    cents: 10000n,
    receiverId: "",
    receiver: "",
    trace: `23138010000000${line}`,
    addenda: [{ kind: "return" as const, code, ...base }],
  });
  const batch = {
    number: "1",
    companyName: "",
    companyId: "1234567890",
    entryClass: "PPD",
    description: "",
    odfi: "23138010",
    // R24: the beneficiary's bank has a duplicate of the payment.
    entries: [entry(3, "R24"), entry(5, "R03")],
  };
  const ach = { destination: "", origin: "", modifier: "A", batches: [batch], unread: [] };
  const file: BankFile = { documents: [{ kind: "ach", file: ach }], unread: [] };
  const sent = sentPayment(1, { trace, companyId: "1234567890", transactionCode: "22" });
  const found = judge(file, new SentPayments([sent]), profile);
  const unknown = { verdict: "unknown_outcome", payoutId: "po_1", why: "returned-without-proof" };
  expect(found.map(bare)).toEqual([
    { ...unknown, document: 1 },
    { ...unknown, document: 1 },
  ]);
});
