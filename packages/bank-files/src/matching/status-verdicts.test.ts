import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  BatchStatus,
  PaymentStatus,
  PaymentStatusCode,
  ReportedStatus,
  StatusReport,
} from "../iso20022/reports/status-report.ts";
import { SentPayments, type SentState } from "./sent-payment.ts";
import { statusVerdicts } from "./status-verdicts.ts";
import { sentPayment } from "./test-sent.ts";

const none: ReportedStatus = { reasons: [] };

function report(
  group: ReportedStatus,
  batch: ReportedStatus = none,
  payments: readonly PaymentStatus[] = [],
): StatusReport {
  const batches: BatchStatus[] = [{ paymentInformationId: "M1-1", ...batch, payments }];
  return { original: { messageId: "M1" }, group, batches, unread: [] };
}

const of = (status: PaymentStatusCode, code?: string): ReportedStatus => {
  return { status, reasons: code === undefined ? [] : [{ code }] };
};
const payment = (number: number, status?: PaymentStatusCode, code?: string): PaymentStatus => {
  const { reasons } = of("RJCT", code);
  return { endToEndId: `E${number}`, reasons, ...(status === undefined ? {} : { status }) };
};

/** Verdicts on two payments of a file, the first of which is in a state. */
function verdicts(read: StatusReport, state: SentState = "sent", statusSettles = true) {
  const sent = new SentPayments([sentPayment(1, { state }), sentPayment(2)]);
  return statusVerdicts(read, sent, statusSettles);
}

/** The verdict on the first of them, in a word. */
function first(...args: Parameters<typeof verdicts>): string | undefined {
  const verdict = verdicts(...args).find((each) => "payoutId" in each && each.payoutId === "po_1");
  return verdict?.verdict === "doubt" ? verdict.doubt : verdict?.verdict;
}

describe("a status report", () => {
  it.each<[PaymentStatusCode, SentState, string]>([
    ["RCVD", "sent", "accepted"],
    ["ACTC", "sent", "accepted"],
    ["ACCP", "sent", "accepted"],
    ["ACSP", "sent", "accepted"],
    ["PDNG", "sent", "accepted"],
    ["ACSC", "sent", "settled"],
    ["ACCC", "sent", "settled"],
    ["RJCT", "sent", "rejected"],
    ["CANC", "sent", "cancelled"],
    ["BLCK", "sent", "blocked"],
    ["ACSP", "debited", "known"],
    ["ACSC", "debited", "known"],
    ["RJCT", "debited", "rejected-after-debit"],
    ["ACSP", "rejected", "known"],
    ["ACSC", "rejected", "settled-after-rejection"],
    ["RJCT", "rejected", "known"],
    ["ACSC", "returned", "known"],
    ["RJCT", "returned", "known"],
  ])("%s of a payment that is %s: %s, at every level", (status, state, expected) => {
    expect(first(report(none, none, [payment(1, status)]), state)).toBe(expected);
    expect(first(report(none, of(status)), state)).toBe(expected);
    expect(first(report(of(status)), state)).toBe(expected);
  });

  it("speaks of every payment of its file, and of each once", () => {
    const read = report(of("ACTC"), of("ACSP"), [payment(2, "ACSC")]);
    expect(verdicts(read)).toEqual([
      { verdict: "accepted", payoutId: "po_1", status: "ACSP" },
      { verdict: "settled", payoutId: "po_2" },
    ]);
  });

  it("says nothing of payments that PART does not name", () => {
    const read = report(of("PART"), of("PART"), [payment(2, "RJCT", "AC04")]);
    expect(verdicts(read)).toEqual([
      { verdict: "rejected", payoutId: "po_2", reason: { code: "AC04" } },
    ]);
  });

  it("settles nothing where the bank's statuses are not final", () => {
    expect(first(report(none, none, [payment(1, "ACSC")]), "sent", false)).toBe("accepted");
  });

  it("teaches the bank's reference", () => {
    const read = report(none, none, [{ ...payment(1, "ACSP"), bankReference: "B1" }]);
    expect(verdicts(read)).toEqual([
      { verdict: "accepted", payoutId: "po_1", status: "ACSP", bankReference: "B1" },
    ]);
  });

  it("of another amount is a doubt", () => {
    const amount = { minor: 9999n, currency: "USD" };
    expect(first(report(none, none, [{ ...payment(1, "RJCT"), amount }]))).toBe("amount-differs");
  });

  it.each(["AM05", "DU01", "DU02", "DU03", "DU04", "DU05"])(
    "that rejects for %s, a duplicate, never releases, whichever level says so",
    (code) => {
      const doubt = "rejected-as-duplicate";
      expect(first(report(none, none, [payment(1, "RJCT", code)]))).toBe(doubt);
      expect(first(report(none, of("RJCT", code)))).toBe(doubt);
      expect(first(report(of("RJCT", code)))).toBe(doubt);
      expect(first(report(of("RJCT", code), of("RJCT"), [payment(1, "RJCT", "NARR")]))).toBe(doubt);
    },
  );

  it.each([{ proprietary: "du02" }, { code: "NARR", text: "Duplicate file" }, { text: "DOUBLE" }])(
    "that rejects for %j never releases",
    (reason) => {
      const rejected = { status: "RJCT", reasons: [reason] } as const;
      expect(first(report(rejected))).toBe("rejected-as-duplicate");
    },
  );

  it("that rejects for a duplicate under the bank's own ids never releases either", () => {
    const sent = new SentPayments([sentPayment(1)]);
    for (const [group, block] of [
      [none, of("RJCT", "DU02")],
      [of("RJCT", "DU01"), none],
    ] as const) {
      const batch = { paymentInformationId: "THEIRS", ...block, payments: [payment(1, "RJCT")] };
      const read = { original: {}, group, batches: [batch], unread: [] };
      const doubts = statusVerdicts(read, sent, true).filter(({ verdict }) => verdict === "doubt");
      expect(doubts).toMatchObject([{ doubt: "rejected-as-duplicate" }]);
    }
  });

  it("whose levels contradict each other is a doubt", () => {
    const doubt = "contradicting-levels";
    expect(first(report(of("RJCT"), none, [payment(1, "ACSP")]))).toBe(doubt);
    expect(first(report(none, of("ACSC"), [payment(1, "RJCT")]))).toBe(doubt);
    expect(first(report(of("ACCC"), of("RJCT")))).toBe(doubt);
    expect(first(report(of("PART"), of("PART"), [payment(1, "PART")]))).toBe(doubt);
    expect(first(report(none, none, [payment(1, "ACSP"), payment(1, "RJCT")]))).toBe(doubt);
    expect(first(report(none, none, [payment(1, "RJCT"), payment(1, "ACSC")]))).toBe(doubt);
  });

  it("that names a payment in a block or a file of ours that it is not in is unmatched", () => {
    const other = { messageId: "M2", paymentInformationId: "M2-1" };
    const sent = new SentPayments([sentPayment(1), sentPayment(2, other)]);
    const named = (messageId: string, paymentInformationId: string) => {
      const batch = { paymentInformationId, reasons: [], payments: [payment(1, "RJCT", "AC04")] };
      const read = { original: { messageId }, group: none, batches: [batch], unread: [] };
      return statusVerdicts(read, sent, true).map((each) =>
        each.verdict === "unmatched" ? each.unmatched : each.verdict,
      );
    };
    expect(named("M1", "M1-1")).toEqual(["rejected"]);
    expect(named("THEIRS", "THEIRS")).toEqual(["rejected"]);
    expect(named("M2", "THEIRS")).toEqual(["contradicting-references"]);
    expect(named("M1", "M2-1")).toEqual(["contradicting-references"]);
    expect(named("THEIRS", "M2-1")).toEqual(["contradicting-references"]);
  });

  it("that names a block of another file rejects nothing of it", () => {
    const other = { messageId: "M2", paymentInformationId: "M2-1" };
    const sent = new SentPayments([sentPayment(1), sentPayment(2, other)]);
    const batch = { paymentInformationId: "M2-1", ...of("RJCT", "AC04"), payments: [] };
    const read = { original: { messageId: "M1" }, group: none, batches: [batch], unread: [] };
    expect(statusVerdicts(read, sent, true)).toEqual([
      {
        ...{ verdict: "unmatched", unmatched: "contradicting-references" },
        place: "OrgnlPmtInfAndSts[1]",
      },
    ]);
  });

  it("of what is not ours is unmatched", () => {
    const sent = new SentPayments([]);
    const read = report(of("RJCT"), of("RJCT"), [payment(1, "RJCT")]);
    expect(statusVerdicts(read, sent, true)).toEqual([
      { verdict: "unmatched", unmatched: "unknown-batch", place: "OrgnlPmtInfAndSts[1]" },
      {
        verdict: "unmatched",
        unmatched: "unknown",
        place: "OrgnlPmtInfAndSts[1]/TxInfAndSts[1]",
      },
      { verdict: "unmatched", unmatched: "unknown-file", place: "OrgnlGrpInfAndSts" },
    ]);
  });

  it("releases only what was never debited, for no duplicate, and against no other word", () => {
    const codes = ["AC04", "AM05", "DU01", "DU04", "NARR"];
    const statuses: PaymentStatusCode[] = ["ACTC", "ACSP", "ACSC", "PART", "PDNG", "RJCT", "CANC"];
    const status = fc.record({
      status: fc.constantFrom(undefined, ...statuses),
      reasons: fc.array(fc.record({ code: fc.constantFrom(...codes) }), { maxLength: 2 }),
    });
    const clean = ({ status: code, reasons }: ReportedStatus): ReportedStatus => {
      return code === undefined ? { reasons } : { status: code, reasons };
    };
    const states = fc.constantFrom<SentState>("sent", "debited", "rejected", "returned");
    fc.assert(
      fc.property(status, status, status, states, (group, batch, own, state) => {
        const levels = [group, batch, own].map((each) => clean(each as ReportedStatus));
        const read = report(levels[0]!, levels[1], [{ endToEndId: "E1", ...levels[2]! }]);
        for (const verdict of verdicts(read, state)) {
          if (verdict.verdict !== "rejected") continue;
          const isFirst = verdict.payoutId === "po_1";
          expect(isFirst ? state : "sent").toBe("sent");
          const said = isFirst ? levels : levels.slice(0, 2);
          const lowest = said.findLast((each) => each.status !== undefined);
          expect(lowest?.status).toBe("RJCT");
          expect(said.map((each) => each.status)).not.toContain("ACSC");
          const codes = said.flatMap(({ reasons }) => reasons.map(({ code = "" }) => code));
          expect(codes.filter((code) => /AM05|DU0/.test(code))).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
