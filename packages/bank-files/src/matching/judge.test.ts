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
