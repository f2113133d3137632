import { describe, expect, it } from "vitest";
import type { AchAddenda } from "../nacha/addenda.ts";
import type { ReadAch } from "../nacha/read.ts";
import { achVerdicts } from "./ach-verdicts.ts";
import { type SentPayment, SentPayments } from "./sent-payment.ts";
import { bare, sentPayment } from "./test-sent.ts";

const trace = "121042880000001";
const base = { originalTrace: trace, originalRdfi: "12104288", trace: "231380100000001" };
const returned: AchAddenda = { kind: "return", code: "R02", ...base };
const part = { returnTrace: "123918710000001", returnCode: "R01" };

function file(cents: bigint, ...addenda: readonly AchAddenda[]): ReadAch {
  const entry = {
    ...{ line: 3, direction: "credit" as const, transactionCode: "21", routing: "121042882" },
    ...{ account: "1", cents, receiverId: "", receiver: "", trace: "231380100000001", addenda },
  };
  const batch = {
    ...{
      number: "1",
      companyName: "",
      companyId: "1234567890",
      entryClass: "PPD",
      description: "",
    },
    ...{ odfi: "23138010", entries: [entry] },
  };
  return { destination: "", origin: "", modifier: "A", batches: [batch], unread: [] };
}

const usd = (minor: bigint) => ({ minor, currency: "USD" });

function sent(changes: Partial<SentPayment> = {}): SentPayment {
  const own = { companyId: "1234567890", transactionCode: "22" };
  return sentPayment(1, { trace, amount: usd(1234n), ...own, ...changes });
}

/** Verdicts without the part of the file. */
function verdicts(read: ReadAch, payments: readonly SentPayment[]) {
  return [...achVerdicts(read, new SentPayments(payments))].map(bare);
}

describe("returns and changes of ACH credits", () => {
  it.each(["sent", "debited"] as const)("is a return of a payment that is %s", (state) => {
    expect([...achVerdicts(file(1234n, returned), new SentPayments([sent({ state })]))]).toEqual([
      {
        source: { place: "line 3", reference: trace, code: "R02", amount: usd(1234n) },
        verdict: "returned",
        payoutId: "po_1",
        amount: usd(1234n),
        reason: { code: "R02" },
      },
    ]);
  });

  const unmatched = (why: string, ...payoutIds: string[]) => {
    return { verdict: "unmatched", why, ...(payoutIds.length > 0 && { payoutIds }) };
  };

  const unknown = (why: string) => ({ verdict: "unknown_outcome", payoutId: "po_1", why });

  it.each<[SentPayment[], object]>([
    [[sent({ state: "returned" })], { verdict: "known", payoutId: "po_1" }],
    [[sent({ state: "rejected" })], unknown("returned-after-rejection")],
    [[sent({ unknownOutcome: "dishonoured" })], unknown("dishonoured")],
    [[sent({ unknownOutcome: "contested" })], unknown("contested")],
    [[sent({ unknownOutcome: "returned-without-proof" })], unknown("returned-without-proof")],
    [[sent({ amount: usd(1235n) })], unknown("amount-differs")],
    [[sent({ trace: "121042880000002" })], unmatched("unknown")],
    [[], unmatched("unknown")],
    [[sent(), sent({ payoutId: "po_2" })], unmatched("ambiguous", "po_1", "po_2")],
    [
      [sent({ amount: usd(1n) }), sent({ payoutId: "po_2", amount: usd(2n) })],
      unmatched("ambiguous", "po_1", "po_2"),
    ],
    [[sent({ companyId: "9999999999" })], unmatched("another-entry", "po_1")],
    [[sent({ transactionCode: "32" })], unmatched("another-entry", "po_1")],
  ])("%# is judged by trace, amount, company and code", (payments, expected) => {
    expect(verdicts(file(1234n, returned), payments)).toEqual([expected]);
  });

  it.each<SentPayment[][]>([
    [[sent({ amount: usd(1n) }), sent({ payoutId: "po_2" })]],
    [[sent({ companyId: "9999999999" }), sent({ payoutId: "po_2" })]],
  ])("%# is of the payment that fits, of several with its trace number", (payments) => {
    expect(verdicts(file(1234n, returned), payments)).toMatchObject([
      { verdict: "returned", payoutId: "po_2" },
    ]);
  });

  it("does not compare what was not stored", () => {
    const { companyId: _company, transactionCode: _code, ...bareSent } = sent();
    expect(verdicts(file(1234n, returned), [bareSent])).toMatchObject([{ verdict: "returned" }]);
  });

  it("is of no payment where it returns a debit, whatever was stored", () => {
    const { companyId: _company, transactionCode: _code, ...bareSent } = sent();
    const debit = file(1234n, returned);
    const batches = debit.batches.map((batch) => {
      const entries = batch.entries.map((each) => ({
        ...each,
        direction: "debit" as const,
        transactionCode: "26",
      }));
      return { ...batch, entries };
    });
    expect(verdicts({ ...debit, batches }, [bareSent])).toEqual([
      unmatched("another-entry", "po_1"),
    ]);
  });

  it.each(["R01", "R07", "R24", "R29", "R41", "R99"])(
    "with %s, which no returned credit has or which names a twin, is no return",
    (code) => {
      expect(verdicts(file(1234n, { ...returned, code }), [sent()])).toEqual([
        { verdict: "unknown_outcome", payoutId: "po_1", why: "returned-without-proof" },
      ]);
    },
  );

  it("is one return if it is repeated", () => {
    const twice = file(1234n, returned);
    const both = { ...twice, batches: [...twice.batches, ...twice.batches] };
    expect(verdicts(both, [sent()]).map(({ verdict }) => verdict)).toEqual(["returned", "known"]);
  });

  it("is before an operator where it was dishonoured or contested", () => {
    const dishonoured: AchAddenda = { kind: "dishonoured", code: "R68", ...base, ...part };
    const contested: AchAddenda = {
      ...{ kind: "contested", code: "R71", ...base, ...part },
      ...{ dishonouredTrace: "121042880000077", dishonouredCode: "R68" },
    };
    const judged = (addenda: AchAddenda[]) => verdicts(file(1234n, ...addenda), [sent()]);
    expect(judged([dishonoured])).toEqual([unknown("dishonoured")]);
    expect(judged([returned, dishonoured])).toEqual([unknown("dishonoured")]);
    expect(judged([returned, dishonoured, contested])).toEqual([unknown("contested")]);
  });

  it("is a proposed change, and nothing else", () => {
    const change: AchAddenda = {
      ...{ kind: "change", code: "C01", ...base, corrected: "5" },
      proposed: { account: "5" },
    };
    expect(verdicts(file(0n, change), [sent()])).toEqual([
      { verdict: "change", payoutId: "po_1", change },
    ]);
  });

  it.each([
    ["21", [unmatched("no-reference")]],
    ["31", [unmatched("no-reference")]],
    ["22", []],
  ])("with the code %s and no addenda record that names a payment: %j", (code, expected) => {
    const read = file(1234n, { kind: "information", text: "x" });
    const batches = read.batches.map((batch) => ({
      ...batch,
      entries: batch.entries.map((each) => ({ ...each, transactionCode: code })),
    }));
    expect(verdicts({ ...read, batches }, [sent()])).toEqual(expected);
  });
});
