import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, EntryTransaction } from "../iso20022/reports/entry.ts";
import { entryVerdicts } from "./entry-verdicts.ts";
import { type SentPayment, SentPayments, type SentState } from "./sent-payment.ts";
import { bookedEntry, sentPayment, statementOf } from "./test-sent.ts";
import type { Verdict } from "./verdict.ts";

const profile = { accounts: ["000123456789"], returnChargesMax: 2500n };
const usd = (minor: bigint) => ({ minor, currency: "USD" });

function verdicts(entries: readonly Entry[], sent: readonly SentPayment[]): Verdict[] {
  return entryVerdicts(statementOf(entries), new SentPayments(sent), profile);
}

/** The verdict on the only payment, in a word. */
function only(entry: Entry, changes: Partial<SentPayment> = {}): string {
  const found = verdicts([entry], [sentPayment(1, changes)]);
  expect(found).toHaveLength(1);
  const [verdict] = found;
  if (verdict?.verdict === "doubt") return verdict.doubt;
  return verdict?.verdict === "unmatched" ? verdict.unmatched : (verdict?.verdict ?? "");
}

describe("a booked debit", () => {
  it("settles the payment that it names", () => {
    const debit = bookedEntry("debit", { endToEndId: "E1", bankReference: "B7" });
    expect(verdicts([debit], [sentPayment(1), sentPayment(2)])).toEqual([
      {
        ...{ verdict: "settled", payoutId: "po_1", debitedAs: "payment" },
        ...{ debited: usd(10000n), bankReference: "B7" },
      },
    ]);
  });

  it.each<[string, Partial<EntryTransaction> | undefined, Partial<SentPayment>]>([
    ["UETR", { uetr: "u1" }, {}],
    ["the bank's reference", { bankReference: "B7" }, { bankReference: "B7" }],
    ["the entry's reference", undefined, { bankReference: "B1" }],
  ])("names it by %s", (_, transaction, changes) => {
    expect(only(bookedEntry("debit", transaction), changes)).toBe("settled");
  });

  it.each<[Partial<Entry>, Partial<EntryTransaction>, string]>([
    [{ amount: usd(10001n) }, {}, "amount-differs"],
    [{ amount: usd(9999n) }, {}, "amount-differs"],
    [{ amount: usd(10150n) }, { charges: [{ amount: usd(150n) }] }, "settled"],
    [{ amount: usd(10150n), charges: [{ amount: usd(150n) }] }, {}, "settled"],
    [{ amount: usd(10150n) }, { charges: [{ amount: usd(149n) }] }, "amount-differs"],
    [
      { amount: usd(10150n) },
      { charges: [{ amount: usd(150n), direction: "credit" }] },
      "amount-differs",
    ],
    [{ amount: { minor: 9100n, currency: "EUR" } }, { instructed: usd(10000n) }, "settled"],
    [{ amount: { minor: 9100n, currency: "EUR" } }, { instructed: usd(9999n) }, "amount-differs"],
    [{ amount: { minor: 9100n, currency: "EUR" } }, {}, "amount-differs"],
    [
      { amount: { minor: 9100n, currency: "EUR" } },
      { instructed: usd(10000n), amount: { minor: 9200n, currency: "EUR" } },
      "amount-differs",
    ],
  ])("of %o with %o: %s", (entry, transaction, expected) => {
    expect(only(bookedEntry("debit", { endToEndId: "E1", ...transaction }, entry))).toBe(expected);
  });

  it("names charges that are debited beside the amount", () => {
    const charges = [{ amount: usd(150n) }];
    const debit = bookedEntry("debit", { endToEndId: "E1", charges }, { amount: usd(10150n) });
    expect(verdicts([debit], [sentPayment(1)])).toMatchObject([
      { verdict: "settled", debited: usd(10150n), charges: usd(150n) },
    ]);
  });

  it.each<[Partial<SentPayment>, string]>([
    [{ state: "debited" }, "known"],
    [{ state: "debited", debitReference: "B1" }, "known"],
    [{ state: "debited", debitReference: "B2" }, "debited-twice"],
    [{ state: "returned", debitReference: "B1" }, "known"],
    [{ state: "rejected" }, "debited-after-rejection"],
    [{ account: "OTHER" }, "another-account"],
  ])("of a payment with %j: %s", (changes, expected) => {
    expect(only(bookedEntry("debit", { endToEndId: "E1" }), changes)).toBe(expected);
  });

  it("that is the first to name a reference of what a status settled teaches it", () => {
    const debit = (number: number, bankReference: string) =>
      bookedEntry("debit", { endToEndId: "E1" }, { number, bankReference });
    const sent = [sentPayment(1, { state: "debited" })];
    expect(verdicts([debit(1, "B1"), debit(2, "B1"), debit(3, "B2")], sent)).toEqual([
      { verdict: "known", payoutId: "po_1", bankReference: "B1" },
      { verdict: "known", payoutId: "po_1" },
      { verdict: "doubt", payoutId: "po_1", doubt: "debited-twice" },
    ]);
  });

  it("that stands twice in a file settles once; with another reference it is a doubt", () => {
    const debit = (number: number, bankReference: string) =>
      bookedEntry("debit", { endToEndId: "E1" }, { number, bankReference });
    const found = verdicts([debit(1, "B1"), debit(2, "B1"), debit(3, "B2")], [sentPayment(1)]);
    expect(found.map(({ verdict }) => verdict)).toEqual(["settled", "known", "doubt"]);
  });

  it("that takes back a return is a doubt", () => {
    const debit = bookedEntry("debit", { endToEndId: "E1" }, { isReversal: true });
    expect(only(debit, { state: "returned" })).toBe("return-taken-back");
  });

  it.each(["pending", "information", "future"] as const)("is none while it is %s", (status) => {
    const debit = bookedEntry("debit", { endToEndId: "E1" }, { status });
    expect(verdicts([debit], [sentPayment(1)])).toEqual([]);
  });

  it.each<[Partial<EntryTransaction> | undefined, string]>([
    [undefined, "unknown"],
    [{ endToEndId: "FOREIGN" }, "unknown"],
    [{ endToEndId: "E1", uetr: "u2" }, "contradicting-references"],
    [{ uetr: "u3" }, "ambiguous"],
  ])("with %j is unmatched", (transaction, unmatched) => {
    const sent = [1, 2].map((number) => sentPayment(number));
    const more = [3, 4].map((number) => sentPayment(number, { uetr: "u3" }));
    expect(verdicts([bookedEntry("debit", transaction)], [...sent, ...more])).toEqual([
      { verdict: "unmatched", unmatched, place: "Ntry[1]" },
    ]);
  });

  it("of several payments settles each by its own amount", () => {
    const transactions = [
      { endToEndId: "E1", amount: usd(10000n), charges: [] },
      { endToEndId: "E2", amount: usd(5000n), charges: [] },
      { endToEndId: "E3", charges: [] },
      { endToEndId: "FOREIGN", amount: usd(1n), charges: [] },
    ];
    const debit = bookedEntry("debit", undefined, { amount: usd(25001n), transactions });
    const sent = [1, 2, 3].map((number) => sentPayment(number));
    expect(verdicts([debit], sent)).toMatchObject([
      { verdict: "settled", payoutId: "po_1" },
      { verdict: "doubt", payoutId: "po_2", doubt: "amount-differs" },
      { verdict: "doubt", payoutId: "po_3", doubt: "amount-differs" },
      { verdict: "unmatched", unmatched: "unknown", place: "Ntry[1]/TxDtls[4]" },
    ]);
  });

  it("of another account is not ours", () => {
    const statement = {
      ...statementOf([bookedEntry("debit", { endToEndId: "E1" })]),
      account: { iban: "FI8529501800030574" },
    };
    expect(entryVerdicts(statement, new SentPayments([sentPayment(1)]), profile)).toEqual([
      { verdict: "unmatched", unmatched: "another-account", place: "Ntry[1]" },
    ]);
  });
});

describe("a block that is booked in one sum", () => {
  const sent = (states: readonly SentState[]) =>
    states.map((state, at) => sentPayment(at + 1, { state }));
  const batch = (minor: bigint, payments?: number) =>
    bookedEntry("debit", undefined, {
      amount: usd(minor),
      batches: [{ paymentInformationId: "M1-1", ...(payments === undefined ? {} : { payments }) }],
    });

  it.each<[Entry, SentState[], string[]]>([
    [batch(20000n), ["sent", "sent"], ["settled", "settled"]],
    [batch(20000n, 2), ["sent", "sent"], ["settled", "settled"]],
    [batch(20000n, 2), ["sent", "rejected", "sent"], ["settled", "settled"]],
    [batch(20000n), ["debited", "sent"], ["known", "settled"]],
    [batch(20000n, 3), ["sent", "sent"], ["unmatched"]],
    [batch(10000n), ["sent", "sent"], ["unmatched"]],
    [batch(20001n), ["sent", "sent"], ["unmatched"]],
  ])("%# settles all that were not rejected, or none", (entry, states, expected) => {
    expect(verdicts([entry], sent(states)).map(({ verdict }) => verdict)).toEqual(expected);
  });

  it("and its payments in another file, under other references, are the same debits", () => {
    const debits = [1, 2].map((number) =>
      bookedEntry("debit", { endToEndId: `E${number}` }, { number, bankReference: `T${number}` }),
    );
    const words = (entries: readonly Entry[]) =>
      verdicts(entries, sent(["sent", "sent"])).map(({ verdict }) => verdict);
    const block = batch(20000n);
    expect(words([...debits, block])).toEqual(["settled", "settled", "known", "known"]);
    expect(words([block, ...debits])).toEqual(["settled", "settled", "known", "known"]);
    const again = { ...block, bankReference: "B2" };
    expect(words([block, again])).toEqual(["settled", "settled", "doubt", "doubt"]);
  });

  it("is known by its number in the details too", () => {
    const entry = bookedEntry("debit", { paymentInformationId: "M1-1", messageId: "M1" });
    expect(verdicts([entry], sent(["sent"]))).toMatchObject([{ verdict: "settled" }]);
  });

  it("is not settled by an entry whose references contradict each other", () => {
    const transaction = { endToEndId: "E1", uetr: "u2", paymentInformationId: "M1-1" };
    const entry = bookedEntry("debit", transaction, { amount: usd(20000n) });
    expect(verdicts([entry], sent(["sent", "sent"]))).toMatchObject([
      { verdict: "unmatched", unmatched: "contradicting-references" },
    ]);
  });

  it("is not taken back in one sum without a person", () => {
    const entry = { ...batch(20000n), direction: "credit", isReversal: true } as const;
    expect(verdicts([entry], sent(["debited", "debited"]))).toEqual([
      { verdict: "unmatched", unmatched: "batch-credit", place: "Ntry[1]" },
    ]);
  });
});

describe("a booked credit", () => {
  const back = (minor: bigint, transaction: Partial<EntryTransaction> = {}) =>
    bookedEntry(
      "credit",
      { endToEndId: "E1", returned: { code: "AC04" }, ...transaction },
      { amount: usd(minor) },
    );

  it("with a reason is a return, whatever is known of the payment", () => {
    for (const state of ["sent", "debited"] as const) {
      expect(verdicts([back(10000n)], [sentPayment(1, { state })])).toEqual([
        {
          ...{ verdict: "returned", payoutId: "po_1", amount: usd(10000n) },
          ...{ reason: { code: "AC04" }, bankReference: "B1" },
        },
      ]);
    }
  });

  it("that is short by charges is a return, with the difference named to the cent", () => {
    expect(verdicts([back(7501n)], [sentPayment(1)])).toMatchObject([
      { verdict: "returned", amount: usd(7501n), short: usd(2499n) },
    ]);
    const charges = [{ amount: usd(5000n) }];
    expect(verdicts([back(5000n, { charges })], [sentPayment(1)])).toMatchObject([
      { verdict: "returned", amount: usd(5000n), short: usd(5000n) },
    ]);
  });

  it.each<[Entry, Partial<SentPayment>, string]>([
    [back(7500n), {}, "returned"],
    [back(7499n), {}, "returned-in-part"],
    [back(10001n), {}, "amount-differs"],
    [
      { ...back(10000n), amount: { minor: 9100n, currency: "EUR" } },
      {},
      "returned-in-another-currency",
    ],
    [back(10000n), { state: "rejected" }, "returned-after-rejection"],
    [back(10000n), { state: "returned" }, "known"],
    [back(10000n), { state: "returned", returnReference: "B1" }, "known"],
    [back(10000n), { state: "returned", returnReference: "B2" }, "returned-twice"],
    [bookedEntry("credit", { endToEndId: "E1" }), {}, "credit-that-is-no-return"],
    [bookedEntry("credit", { endToEndId: "E1" }, { isReversal: true }), {}, "returned"],
    [bookedEntry("credit", { endToEndId: "E1" }, { code: { subFamily: "RRTN" } }), {}, "returned"],
    [bookedEntry("credit", { endToEndId: "FOREIGN", returned: {} }), {}, "unknown"],
  ])("%# is judged so", (entry, changes, expected) => {
    expect(only(entry, changes)).toBe(expected);
  });

  it("after its debit in the same file is both, in their order", () => {
    const debit = bookedEntry("debit", { endToEndId: "E1" });
    const credit = { ...back(10000n), number: 2, bankReference: "B2" };
    const found = verdicts([debit, credit], [sentPayment(1)]);
    expect(found.map(({ verdict }) => verdict)).toEqual(["settled", "returned"]);
  });
});

describe("a payment that came back", () => {
  it("and is debited again under another reference is a doubt", () => {
    const debit = (number: number, bankReference: string) =>
      bookedEntry("debit", { endToEndId: "E1" }, { number, bankReference });
    const credit = bookedEntry(
      "credit",
      { endToEndId: "E1", returned: {} },
      { number: 2, bankReference: "B2" },
    );
    const found = verdicts(
      [debit(1, "B1"), credit, debit(3, "B1"), debit(4, "B3")],
      [sentPayment(1)],
    );
    expect(found.map(({ verdict }) => verdict)).toEqual(["settled", "returned", "known", "doubt"]);
  });
});

describe("whatever a bank books", () => {
  const amount = fc.constantFrom(10000n, 9999n, 7500n, 10150n, 20000n, 30000n).map(usd);
  const charges = fc.constantFrom<EntryTransaction["charges"]>([], [{ amount: usd(150n) }]);
  const transaction = fc
    .record({
      endToEndId: fc.constantFrom(undefined, "E1", "E2", "E3", "FOREIGN"),
      uetr: fc.constantFrom(undefined, "u1", "u2"),
      paymentInformationId: fc.constantFrom(undefined, "M1-1"),
      amount: fc.option(amount, { nil: undefined }),
      returned: fc.constantFrom(undefined, { code: "AC04" }),
      charges,
    })
    .map((each) => {
      const given = Object.entries(each).filter(([, value]) => value !== undefined);
      return { charges: each.charges, ...Object.fromEntries(given) };
    });
  const anyEntry = fc.record({
    direction: fc.constantFrom<Entry["direction"]>("debit", "credit"),
    amount,
    isReversal: fc.boolean(),
    status: fc.constantFrom<Entry["status"]>("booked", "booked", "pending"),
    transactions: fc.array(transaction, { maxLength: 3 }),
    bankReference: fc.constantFrom("B1", "B2", "B3"),
  });
  const entries = fc
    .array(anyEntry, { minLength: 1, maxLength: 6 })
    .map((all) =>
      all.map((each, at) => bookedEntry("debit", undefined, { ...each, number: at + 1 })),
    );
  const states = fc.array(
    fc.constantFrom<SentState>("sent", "sent", "debited", "rejected", "returned"),
    { minLength: 3, maxLength: 3 },
  );

  /** What a rail stores of its verdicts. */
  function after(sent: readonly SentPayment[], found: readonly Verdict[]): SentPayment[] {
    const stored = new Map(sent.map((payment) => [payment.payoutId, payment]));
    for (const verdict of found) {
      if (verdict.verdict !== "settled" && verdict.verdict !== "returned") continue;
      const payment = stored.get(verdict.payoutId)!;
      const { bankReference } = verdict;
      if (verdict.verdict === "settled") {
        const debit = bankReference === undefined ? {} : { debitReference: bankReference };
        stored.set(payment.payoutId, { ...payment, state: "debited", ...debit });
      } else {
        const back = bankReference === undefined ? {} : { returnReference: bankReference };
        stored.set(payment.payoutId, { ...payment, state: "returned", ...back });
      }
    }
    return [...stored.values()];
  }

  it("each entry gives a verdict, and money moves once and by its own amount", () => {
    fc.assert(
      fc.property(entries, states, (all, known) => {
        const sent = known.map((state, at) => sentPayment(at + 1, { state }));
        const found = verdicts(all, sent);
        const booked = all.filter(({ status }) => status === "booked");
        expect(found.length).toBeGreaterThanOrEqual(booked.length);
        for (const each of found) {
          if (each.verdict === "settled") {
            const beside = each.charges?.minor ?? 0n;
            expect(each.debited).toEqual(usd(10000n + beside));
          }
          if (each.verdict === "returned") {
            expect(each.amount.minor + (each.short?.minor ?? 0n)).toBe(10000n);
          }
          expect(each.verdict).not.toBe("rejected");
        }
        for (const [at, state] of known.entries()) {
          const own = found.filter(
            (each) => "payoutId" in each && each.payoutId === `po_${at + 1}`,
          );
          const count = (verdict: Verdict["verdict"]) =>
            own.filter((each) => each.verdict === verdict).length;
          expect(count("settled")).toBeLessThanOrEqual(state === "sent" ? 1 : 0);
          const isOpen = state === "sent" || state === "debited";
          expect(count("returned")).toBeLessThanOrEqual(isOpen ? 1 : 0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("a file that comes twice moves nothing the second time", () => {
    fc.assert(
      fc.property(entries, states, (all, known) => {
        const sent = known.map((state, at) => sentPayment(at + 1, { state }));
        const stored = after(sent, verdicts(all, sent));
        const again = verdicts(all, stored).map(({ verdict }) => verdict);
        expect(again.filter((each) => each === "settled" || each === "returned")).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("does not depend on the order in which payments are known", () => {
    fc.assert(
      fc.property(entries, states, (all, known) => {
        const sent = known.map((state, at) => sentPayment(at + 1, { state }));
        const text = (found: readonly Verdict[]) =>
          found
            .map((each) =>
              JSON.stringify(each, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
            )
            .toSorted();
        expect(text(verdicts(all, sent.toReversed()))).toEqual(text(verdicts(all, sent)));
      }),
      { numRuns: 200 },
    );
  });
});
