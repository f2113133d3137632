import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reason } from "../iso20022/reports/report.ts";
import type {
  BatchStatus,
  PaymentStatus,
  PaymentStatusCode,
  ReportedStatus,
  StatusReport,
} from "../iso20022/reports/status-report.ts";
import { mayProveNotExecuted } from "./proof.ts";
import { SentPayments, type SentState } from "./sent-payment.ts";
import { type StatusProfile, statusVerdicts } from "./status-verdicts.ts";
import { bare, sentPayment } from "./test-sent.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";

const none: ReportedStatus = { reasons: [] };
const profile: StatusProfile = { statusSettles: true, notExecutedCodes: new Set() };

function report(
  group: ReportedStatus,
  batch: ReportedStatus = none,
  payments: readonly PaymentStatus[] = [],
): StatusReport {
  const batches: BatchStatus[] = [{ paymentInformationId: "M1-1", ...batch, payments }];
  return { original: { messageId: "M1" }, group, batches, unread: [] };
}

/** Without a code, a rejection gets a reason that proves that nothing was paid. */
const of = (status: PaymentStatusCode, code?: string): ReportedStatus => {
  const proof = status === "RJCT" ? [{ code: "AC04" }] : [];
  return { status, reasons: code === undefined ? proof : [{ code }] };
};
const payment = (number: number, status?: PaymentStatusCode, code?: string): PaymentStatus => {
  const { reasons } = of(status ?? "ACTC", code);
  return { endToEndId: `E${number}`, reasons, ...(status === undefined ? {} : { status }) };
};

/** Judges a report on two payments of a file; the first one is in a given state. */
function verdicts(
  read: StatusReport,
  state: SentState = "sent",
  changes: Partial<StatusProfile> = {},
) {
  const sent = new SentPayments([sentPayment(1, { state }), sentPayment(2)]);
  return statusVerdicts(read, sent, { ...profile, ...changes });
}

/** The outcome of the first payment. */
function first(...args: Parameters<typeof verdicts>): string | undefined {
  const verdict = verdicts(...args).find((each) => "payoutId" in each && each.payoutId === "po_1");
  return verdict?.verdict === "unknown_outcome" ? verdict.why : verdict?.verdict;
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

  it.each<[UnknownOutcome, string]>([
    ["rejected-as-duplicate", "rejected-as-duplicate"],
    ["amount-differs", "amount-differs"],
    ["debited-after-rejection", "debited-after-rejection"],
    ["rejected-without-proof", "rejected"],
    ["cancelled", "rejected"],
    ["blocked", "rejected"],
  ])("RJCT with AC04 of a payment that is %s: %s", (unknownOutcome, expected) => {
    const sent = new SentPayments([sentPayment(1, { unknownOutcome })]);
    const [verdict] = statusVerdicts(report(none, none, [payment(1, "RJCT")]), sent, profile);
    const outcome = verdict?.verdict === "unknown_outcome" ? verdict.why : verdict?.verdict;
    expect(outcome).toBe(expected);
  });

  it("covers every payment of its file once", () => {
    const read = report(of("ACTC"), of("ACSP"), [payment(2, "ACSC")]);
    expect(verdicts(read).map(bare)).toEqual([
      { verdict: "accepted", payoutId: "po_1" },
      { verdict: "settled", payoutId: "po_2" },
    ]);
  });

  it("states nothing about payments that PART does not name", () => {
    const read = report(of("PART"), of("PART"), [payment(2, "RJCT", "AC04")]);
    expect(verdicts(read)).toEqual([
      {
        source: {
          place: "OrgnlPmtInfAndSts[1]/TxInfAndSts[1]",
          reference: "E2",
          code: "AC04",
          amount: { minor: 10000n, currency: "USD" },
        },
        verdict: "rejected",
        payoutId: "po_2",
        reason: { code: "AC04" },
      },
    ]);
  });

  it("settles nothing where the bank's statuses are not final", () => {
    expect(first(report(none, none, [payment(1, "ACSC")]), "sent", { statusSettles: false })).toBe(
      "accepted",
    );
  });

  it("teaches the bank's reference", () => {
    const read = report(none, none, [{ ...payment(1, "ACSP"), bankReference: "B1" }]);
    expect(verdicts(read).map(bare)).toEqual([
      { verdict: "accepted", payoutId: "po_1", bankReference: "B1" },
    ]);
  });

  it("of another amount has an unknown outcome", () => {
    const amount = { minor: 9999n, currency: "USD" };
    expect(first(report(none, none, [{ ...payment(1, "RJCT"), amount }]))).toBe("amount-differs");
  });

  it.each(["AM05", "DU01", "DU02", "DU03", "DU04", "DU05"])(
    "that rejects for %s, a duplicate, never releases, on any level",
    (code) => {
      const expected = "rejected-as-duplicate";
      expect(first(report(none, none, [payment(1, "RJCT", code)]))).toBe(expected);
      expect(first(report(none, of("RJCT", code)))).toBe(expected);
      expect(first(report(of("RJCT", code)))).toBe(expected);
      expect(first(report(of("RJCT", code), of("RJCT"), [payment(1, "RJCT", "NARR")]))).toBe(
        expected,
      );
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
      const found = statusVerdicts(read, sent, profile).filter((each) => "payoutId" in each);
      expect(found).toMatchObject([{ why: "rejected-as-duplicate" }]);
    }
  });

  it("whose levels contradict each other has an unknown outcome", () => {
    const expected = "contradicting-levels";
    expect(first(report(of("RJCT"), none, [payment(1, "ACSP")]))).toBe(expected);
    expect(first(report(none, of("ACSC"), [payment(1, "RJCT")]))).toBe(expected);
    expect(first(report(of("ACCC"), of("RJCT")))).toBe(expected);
    expect(first(report(of("PART"), of("PART"), [payment(1, "PART")]))).toBe(expected);
    expect(first(report(none, none, [payment(1, "ACSP"), payment(1, "RJCT")]))).toBe(expected);
    expect(first(report(none, none, [payment(1, "RJCT"), payment(1, "ACSC")]))).toBe(expected);
  });

  it("that names a payment in a block or a file of ours that it is not in is unmatched", () => {
    const other = { messageId: "M2", paymentInformationId: "M2-1" };
    const payments = [sentPayment(1), sentPayment(2, other)];
    const named = (messageId: string, paymentInformationId: string) => {
      const batch = { paymentInformationId, reasons: [], payments: [payment(1, "RJCT", "AC04")] };
      const read = { original: { messageId }, group: none, batches: [batch], unread: [] };
      return statusVerdicts(read, new SentPayments(payments), profile).map((each) =>
        "why" in each ? each.why : each.verdict,
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
    expect(statusVerdicts(read, sent, profile)).toMatchObject([
      {
        verdict: "unmatched",
        why: "contradicting-references",
        source: { place: "OrgnlPmtInfAndSts[1]" },
      },
    ]);
  });

  it("that names a payment by InstrId under another EndToEndId, or reversed, releases nothing", () => {
    const sent = () => new SentPayments([sentPayment(1, { instructionId: "E1" })]);
    for (const references of [
      { endToEndId: "E0", instructionId: "E1" },
      { endToEndId: "E1", instructionId: "E0" },
    ]) {
      const read = report(none, none, [{ ...payment(1, "RJCT"), ...references }]);
      expect(statusVerdicts(read, sent(), profile).map(bare)).toEqual([
        { verdict: "unmatched", why: "contradicting-references" },
      ]);
    }
  });

  it.each<[string, PaymentStatus, string]>([
    [
      "a duplicate of it",
      { ...payment(1, "RJCT", "AM05"), instructionId: "E0" },
      "unknown_outcome",
    ],
    ["that it settled", { ...payment(1, "ACSC"), instructionId: "E0" }, "unknown_outcome"],
    ["a duplicate of another id", payment(9, "RJCT", "AM05"), "unknown_outcome"],
    ["that another id is settled", payment(9, "ACSC"), "unknown_outcome"],
    ["a listed reason for another id", payment(9, "RJCT", "AC04"), "rejected"],
    ["another id alone", { endToEndId: "E9", reasons: [] }, "rejected"],
  ])(
    "rejects no block or file in which a payment that is not found has %s",
    (_, part, expected) => {
      const judged = (group: ReportedStatus, batch: ReportedStatus) => {
        const sent = new SentPayments([sentPayment(1, { instructionId: "E1" })]);
        const found = statusVerdicts(report(group, batch, [part]), sent, profile);
        return found.filter((each) => "payoutId" in each).map(({ verdict }) => verdict);
      };
      expect(judged(none, of("RJCT"))).toEqual([expected]);
      expect(judged(of("RJCT"), none)).toEqual([expected]);
    },
  );

  it("settles no block in which a payment that is not found is rejected", () => {
    const judged = (part: PaymentStatus) =>
      verdicts(report(none, of("ACSC"), [part])).flatMap((each) =>
        "payoutId" in each ? each.verdict : [],
      );
    expect(judged(payment(9, "RJCT"))).toEqual(["unknown_outcome", "unknown_outcome"]);
    expect(judged(payment(9, "ACSC"))).toEqual(["settled", "settled"]);
  });

  it("judges a payment that it names by its own status, whatever others are not found", () => {
    const own = [payment(1, "RJCT"), payment(9, "ACSC")];
    expect(verdicts(report(none, none, own)).map(({ verdict }) => verdict)).toEqual([
      "unmatched",
      "rejected",
    ]);
  });

  it("rejects no file of which a block that is not found is settled", () => {
    const read = report(of("RJCT"), { ...of("ACSC") });
    const [batch] = read.batches;
    const other = { ...read, batches: [{ ...batch!, paymentInformationId: "M1-9" }] };
    expect(verdicts(other).map(({ verdict }) => verdict)).toEqual([
      "unmatched",
      "unknown_outcome",
      "unknown_outcome",
    ]);
  });

  it("of what is not ours is unmatched", () => {
    const sent = new SentPayments([]);
    const read = report(of("RJCT"), of("RJCT"), [payment(1, "RJCT")]);
    const found = statusVerdicts(read, sent, profile).map((each) => [
      "why" in each ? each.why : each.verdict,
      each.source.place,
    ]);
    expect(found).toEqual([
      ["unknown-batch", "OrgnlPmtInfAndSts[1]"],
      ["unknown", "OrgnlPmtInfAndSts[1]/TxInfAndSts[1]"],
      ["unknown-file", "OrgnlGrpInfAndSts"],
    ]);
  });

  it("releases only a payment never debited, for no duplicate, and without contradiction", () => {
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
          const applied = isFirst ? levels : levels.slice(0, 2);
          const lowest = applied.findLast((each) => each.status !== undefined);
          expect(lowest?.status).toBe("RJCT");
          expect(applied.map((each) => each.status)).not.toContain("ACSC");
          const codes = applied.flatMap(({ reasons }) => reasons.map(({ code = "" }) => code));
          expect(new Set(codes)).toEqual(new Set(["AC04"]));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a rejection", () => {
  const rejected = (reasons: readonly Reason[], changes: Partial<StatusProfile> = {}) =>
    first(report(none, none, [{ endToEndId: "E1", status: "RJCT", reasons }]), "sent", changes);

  it("without a reason, or with words alone, releases nothing", () => {
    expect(rejected([])).toBe("rejected-without-proof");
    expect(rejected([{ text: "Account closed" }])).toBe("rejected-without-proof");
    expect(rejected([{ code: "NARR", text: "Account closed" }])).toBe("rejected-without-proof");
  });

  it("releases where every reason at every level is listed", () => {
    expect(rejected([{ code: "AC04" }, { code: "BE04", text: "Town is missing" }])).toBe(
      "rejected",
    );
    expect(rejected([{ code: "AC04" }, { code: "FF10" }])).toBe("rejected-without-proof");
    const own = payment(1, "RJCT", "AC04");
    expect(first(report(of("RJCT", "ED05"), none, [own]))).toBe("rejected-without-proof");
    expect(first(report(none, of("RJCT", "NARR"), [own]))).toBe("rejected-without-proof");
    expect(first(report(none, { reasons: [{ code: "AB03" }] }, [own]))).toBe(
      "rejected-without-proof",
    );
  });

  it("releases by a bank's own codes where its profile lists them, and by no code that never proves it", () => {
    const codes = { notExecutedCodes: new Set(["B17", "AM05", "NARR"]) };
    expect(rejected([{ proprietary: "b17" }])).toBe("rejected-without-proof");
    expect(rejected([{ proprietary: "b17" }], codes)).toBe("rejected");
    expect(rejected([{ proprietary: "B18" }], codes)).toBe("rejected-without-proof");
    expect(rejected([{ proprietary: "NARR" }], codes)).toBe("rejected-without-proof");
    expect(rejected([{ proprietary: "AM05" }], codes)).toBe("rejected-as-duplicate");
    expect(rejected([{ code: "AC04", proprietary: "B18" }], codes)).toBe("rejected-without-proof");
  });

  it("releases for no code that is not listed", () => {
    const code = fc.stringMatching(/^[A-Z]{2}\d{2}$|^[A-Z]{4}$/);
    const listed = /^(?:AC|AG|AM|BE|DT|FF|RC|RR|MD|MS)\d\d$|^(?:AGNT|CNOR|CURR|DNOR)$/;
    fc.assert(
      fc.property(code, (each) => {
        fc.pre(!listed.test(each));
        expect(rejected([{ code: each }])).not.toBe("rejected");
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(
    "AM05 DUPL DU01 DU02 DU03 DU04 DU05 DS15 NARR AM07 AB01 AB05 AB11 FF10 FF11 ED05 G000 G004 G006 CH19 DS05 DS06 DS07 DT06".split(
      " ",
    ),
  )("for %s never releases, whatever a profile lists", (code) => {
    expect(mayProveNotExecuted(code)).toBe(false);
    const codes = { notExecutedCodes: new Set([code]) };
    for (const reason of [{ code }, { proprietary: code }, { code: "AC04", proprietary: code }]) {
      expect(rejected([reason], codes)).toMatch(/^rejected-/);
    }
  });
});

describe("words about a duplicate hold money back, beside a listed code too:", () => {
  it.each([
    "Instruction E1 is known to us",
    "instruction already exists",
    "Payment was processed under reference 123",
    "Doppelt eingereicht",
    "Zahlung bereits ausgeführt",
    "Paiement déjà exécuté",
    "operación ya existe",
    "identical payment found",
    "same reference used",
    "message id not unique",
    "has been executed on 24 Nov",
    "received before",
    "payment was booked earlier",
    "betaling al verwerkt",
    "bonifico già eseguito",
    "płatność już wykonana",
    "this order was sent twice",
    "resubmission of file 7",
    "betalning redan utförd",
    "reference in use",
  ])("%s", (text) => {
    const read = report(none, none, [
      { endToEndId: "E1", status: "RJCT", reasons: [{ code: "AC04", text }] },
    ]);
    expect(first(read)).toBe("rejected-as-duplicate");
  });

  it.each([
    "Account does not exist",
    "Account has been closed",
    "Konto nicht vorhanden",
    "cuenta inexistente",
    "cannot be paid",
    "Please correct and resubmit",
    "Date earlier than today",
    "IBAN is not known",
    "account no longer exists",
    "Name does not match account",
  ])("but not: %s", (text) => {
    const read = report(none, none, [
      { endToEndId: "E1", status: "RJCT", reasons: [{ code: "AC04", text }] },
    ]);
    expect(first(read)).toBe("rejected");
  });
});

describe("a status that leaves the payment as it is", () => {
  const information = (status: string, state: SentState = "sent") => {
    const read = report(none, none, [
      { endToEndId: "E1", status: status as PaymentStatusCode, reasons: [] },
    ]);
    return verdicts(read, state).map(bare);
  };

  it.each(["RCVC", "RVCM", "RVMC", "RVNA", "RVNC", "RVNM", "ACFW", "ACIS", "ACPD", "CPUC", "PRES"])(
    "%s",
    (status) => {
      const waits = ["ACFW", "RVMC", "RVNM"].includes(status);
      expect(information(status)).toEqual([
        { verdict: "information", payoutId: "po_1", ...(waits && { waitsForUs: true }) },
      ]);
      expect(information(status, "debited")).toEqual([
        { verdict: "information", payoutId: "po_1" },
      ]);
    },
  );
});

it("with an unknown status of its own is not judged by the status of its block", () => {
  const own = { endToEndId: "E1", unknownStatus: "XXXX", reasons: [] };
  expect(first(report(none, none, [own]))).toBe("information");
  expect(first(report(none, of("ACSC"), [own]))).toBe("information");
  expect(first(report(none, of("RJCT"), [own]))).toBe("contradicting-levels");
});

it("costs about the same for each payment of a large report", () => {
  const count = 20_000;
  const payments = Array.from({ length: count }, (_each, at) => sentPayment(at + 1));
  const read = report(
    none,
    none,
    payments.map((_each, at) => payment(at + 1, "ACSP")),
  );
  const started = performance.now();
  expect(statusVerdicts(read, new SentPayments(payments), profile)).toHaveLength(count);
  // Comparing every pair took 20 s.
  expect(performance.now() - started).toBeLessThan(5_000);
});
