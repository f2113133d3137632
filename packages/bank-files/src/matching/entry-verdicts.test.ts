import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, EntryTransaction } from "../iso20022/reports/entry.ts";
import { entryVerdicts } from "./entry-verdicts.ts";
import { type SentPayment, SentPayments, type SentState } from "./sent-payment.ts";
import { bare, bookedEntry, ofStatement, sentPayment, statementOf } from "./test-sent.ts";
import type { Verdict } from "./verdict.ts";

const profile = { accounts: ["000123456789"], returnChargesMax: 2500n };
const usd = (minor: bigint) => ({ minor, currency: "USD" });

function verdicts(entries: readonly Entry[], sent: readonly SentPayment[]): Verdict[] {
  return entryVerdicts(statementOf(entries), "statement", new SentPayments(sent), profile);
}

function outcome(verdict: Verdict): string {
  return "why" in verdict ? verdict.why : verdict.verdict;
}

/** The outcome of the only payment. */
function only(entry: Entry, changes: Partial<SentPayment> = {}): string {
  const found = verdicts([entry], [sentPayment(1, changes)]);
  expect(found).toHaveLength(1);
  const [verdict] = found;
  return verdict === undefined ? "" : outcome(verdict);
}

const inBlock = (paymentInformationId: string): EntryTransaction => {
  return { endToEndId: "E1", charges: [], paymentInformationId };
};
const ofBlock = (paymentInformationId: string): Partial<Entry> => ({
  batches: [{ paymentInformationId }],
  transactions: [{ endToEndId: "E1", charges: [] }],
});

describe("a booked debit", () => {
  it("settles the payment that it names", () => {
    const debit = bookedEntry("debit", { endToEndId: "E1", bankReference: "B7" });
    expect(verdicts([debit], [sentPayment(1), sentPayment(2)])).toEqual([
      {
        source: {
          place: "Ntry[1]",
          reference: "E1",
          code: "",
          amount: usd(10000n),
          direction: "debit",
        },
        verdict: "settled",
        payoutId: "po_1",
        booking: ofStatement("B7"),
        bankReference: "B7",
      },
    ]);
  });

  it.each<[string, Partial<EntryTransaction> | undefined, Partial<SentPayment>]>([
    ["InstrId", { instructionId: "E1" }, { instructionId: "E1" }],
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

  it.each<[string, Partial<Entry>, string]>([
    ["another block of ours", { transactions: [inBlock("M2-1")] }, "contradicting-references"],
    ["another block of ours for the whole entry", ofBlock("M2-1"), "contradicting-references"],
    ["its own block", { transactions: [inBlock("M1-1")] }, "settled"],
    ["a block of the bank's own numbering", { transactions: [inBlock("0815")] }, "settled"],
  ])("that names it and %s", (_what, changes, expected) => {
    const other = sentPayment(2, { paymentInformationId: "M2-1" });
    const [verdict] = verdicts([bookedEntry("debit", {}, changes)], [sentPayment(1), other]);
    expect(verdict && outcome(verdict)).toBe(expected);
  });

  it("names charges that are debited beside the amount", () => {
    const charges = [{ amount: usd(150n) }];
    const debit = bookedEntry("debit", { endToEndId: "E1", charges }, { amount: usd(10150n) });
    expect(verdicts([debit], [sentPayment(1)])).toMatchObject([
      { verdict: "settled", charges: usd(150n) },
    ]);
  });

  it.each<[Partial<SentPayment>, string]>([
    [{ state: "debited" }, "known"],
    [{ state: "debited", debits: [ofStatement("B1")] }, "known"],
    [{ state: "debited", debits: [ofStatement("B2")] }, "debited-twice"],
    [{ state: "debited", debits: [{ ...ofStatement("B2"), source: "notification" }] }, "known"],
    [{ state: "returned", debits: [ofStatement("B1")] }, "known"],
    [{ state: "rejected" }, "debited-after-rejection"],
    [{ account: "OTHER" }, "another-account"],
  ])("of a payment with %j: %s", (changes, expected) => {
    expect(only(bookedEntry("debit", { endToEndId: "E1" }), changes)).toBe(expected);
  });

  it("that is the first to name a reference adds it to a payment that a status settled", () => {
    const debit = (number: number, bankReference: string) =>
      bookedEntry("debit", { endToEndId: "E1" }, { number, bankReference });
    const sent = [sentPayment(1, { state: "debited" })];
    expect(verdicts([debit(1, "B1"), debit(3, "B2")], sent).map(bare)).toEqual([
      {
        verdict: "known",
        payoutId: "po_1",
        booking: { of: "debit", as: ofStatement("B1") },
      },
      { verdict: "unknown_outcome", payoutId: "po_1", why: "debited-twice" },
    ]);
  });

  it.each(["B1", "B2"])(
    "that one statement has twice, then with %s, has an unknown outcome",
    (reference) => {
      const debit = (number: number, bankReference: string) =>
        bookedEntry("debit", { endToEndId: "E1" }, { number, bankReference });
      const entries = [debit(1, "B1"), debit(2, reference)];
      expect(verdicts(entries, [sentPayment(1)]).map(outcome)).toEqual([
        "settled",
        "debited-twice",
      ]);
      const settled = { state: "debited", debits: [ofStatement("B1")] } as const;
      const again = verdicts(entries, [sentPayment(1, settled)]).map(outcome);
      expect(again).toEqual(["known", "debited-twice"]);
    },
  );

  it("that is repeated in the details of one entry has an unknown outcome", () => {
    const detail = { endToEndId: "E1", amount: usd(10000n), charges: [] };
    const entry = bookedEntry("debit", detail, {
      amount: usd(20000n),
      transactions: [detail, detail],
    });
    expect(verdicts([entry], [sentPayment(1)]).map(outcome)).toEqual(["settled", "debited-twice"]);
  });

  it("that another page or statement repeats is known", () => {
    const sent = new SentPayments([sentPayment(1)]);
    const page = () =>
      entryVerdicts(
        statementOf([bookedEntry("debit", { endToEndId: "E1" })]),
        "statement",
        sent,
        profile,
      ).map(outcome);
    expect([page(), page()]).toEqual([["settled"], ["known"]]);
  });

  it("by InstrId under another EndToEndId settles nothing", () => {
    const transaction = { endToEndId: "E0", instructionId: "E1" };
    const changes = { instructionId: "E1" };
    expect(only(bookedEntry("debit", transaction), changes)).toBe("contradicting-references");
  });

  it("that reverses a return has an unknown outcome", () => {
    const debit = bookedEntry("debit", { endToEndId: "E1" }, { isReversal: true });
    expect(only(debit, { state: "returned" })).toBe("return-taken-back");
  });

  it.each(["pending", "information", "future"] as const)("moves nothing while %s", (status) => {
    const debit = bookedEntry("debit", { endToEndId: "E1" }, { status });
    expect(only(debit)).toBe("information");
  });

  it.each<[Partial<EntryTransaction> | undefined, string]>([
    [undefined, "unknown"],
    [{ endToEndId: "FOREIGN" }, "unknown"],
    [{ endToEndId: "E1", uetr: "u2" }, "contradicting-references"],
    [{ uetr: "u3" }, "ambiguous"],
  ])("with %j is unmatched", (transaction, unmatched) => {
    const sent = [1, 2].map((number) => sentPayment(number));
    const more = [3, 4].map((number) => sentPayment(number, { uetr: "u3" }));
    expect(verdicts([bookedEntry("debit", transaction)], [...sent, ...more])).toMatchObject([
      { verdict: "unmatched", why: unmatched, source: { place: "Ntry[1]" } },
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
      { verdict: "unknown_outcome", payoutId: "po_2", why: "amount-differs" },
      // Its own amount completes the sum of the entry.
      { verdict: "settled", payoutId: "po_3" },
      { verdict: "unmatched", why: "unknown", source: { place: "Ntry[1]/TxDtls[4]" } },
    ]);
  });

  it("of another account is not ours", () => {
    const statement = {
      ...statementOf([bookedEntry("debit", { endToEndId: "E1" })]),
      account: { iban: "FI8529501800030574" },
    };
    const found = entryVerdicts(
      statement,
      "statement",
      new SentPayments([sentPayment(1)]),
      profile,
    );
    expect(found).toMatchObject([
      { verdict: "unmatched", why: "another-account", source: { place: "Ntry[1]" } },
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
    expect(words([block, again])).toEqual([
      "settled",
      "settled",
      "unknown_outcome",
      "unknown_outcome",
    ]);
  });

  it("is known by its number in the details too", () => {
    const entry = bookedEntry("debit", { paymentInformationId: "M1-1", messageId: "M1" });
    expect(verdicts([entry], sent(["sent"]))).toMatchObject([{ verdict: "settled" }]);
  });

  it("is not settled by an entry whose details name another payment", () => {
    const transaction = { endToEndId: "FOREIGN", paymentInformationId: "M1-1" };
    const entry = bookedEntry("debit", transaction, { amount: usd(20000n) });
    expect(verdicts([entry], sent(["sent", "sent"])).map(outcome)).toEqual([
      "contradicting-references",
    ]);
  });

  it("is not settled by an entry whose references contradict each other", () => {
    const transaction = { endToEndId: "E1", uetr: "u2", paymentInformationId: "M1-1" };
    const entry = bookedEntry("debit", transaction, { amount: usd(20000n) });
    expect(verdicts([entry], sent(["sent", "sent"]))).toMatchObject([
      { verdict: "unmatched", why: "contradicting-references" },
    ]);
  });

  it("is not taken back in one sum without a person", () => {
    const entry = { ...batch(20000n), direction: "credit", isReversal: true } as const;
    expect(verdicts([entry], sent(["debited", "debited"]))).toMatchObject([
      { verdict: "unmatched", why: "batch-credit", source: { place: "Ntry[1]" } },
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
      expect(verdicts([back(10000n)], [sentPayment(1, { state })]).map(bare)).toEqual([
        {
          verdict: "returned",
          payoutId: "po_1",
          amount: usd(10000n),
          reason: { code: "AC04" },
          booking: ofStatement("B1"),
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
    [back(10000n), { state: "returned", returns: [ofStatement("B1")] }, "known"],
    [back(10000n), { state: "returned", returns: [ofStatement("B2")] }, "returned-twice"],
    [
      back(10000n),
      { state: "returned", returns: [{ ...ofStatement("B2"), source: "notification" }] },
      "known",
    ],
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
  it("and is debited again under another reference has an unknown outcome", () => {
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
    expect(found.map(({ verdict }) => verdict)).toEqual([
      "settled",
      "returned",
      "unknown_outcome",
      "unknown_outcome",
    ]);
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

  /** The payments as a rail stores them after its verdicts. */
  function after(sent: readonly SentPayment[], found: readonly Verdict[]): SentPayment[] {
    const stored = new Map(sent.map((payment) => [payment.payoutId, payment]));
    for (const verdict of found) {
      if (verdict.verdict !== "settled" && verdict.verdict !== "returned") continue;
      const payment = stored.get(verdict.payoutId)!;
      const bookings = verdict.booking === undefined ? [] : [verdict.booking];
      stored.set(payment.payoutId, {
        ...payment,
        ...(verdict.verdict === "settled"
          ? { state: "debited", debits: bookings }
          : { state: "returned", returns: bookings }),
      });
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
          if (each.verdict === "settled" && each.booking?.as === "payment") {
            const beside = each.charges?.minor ?? 0n;
            expect(each.source.amount).toEqual(usd(10000n + beside));
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

describe("a missing element is no contradiction:", () => {
  const details = (...parts: Partial<EntryTransaction>[]) =>
    parts.map((each) => ({ charges: [], ...each }));
  const sumOf = (minor: bigint, transactions: EntryTransaction[], changes: Partial<Entry> = {}) =>
    bookedEntry("debit", undefined, { amount: usd(minor), transactions, ...changes });
  const words = (entry: Entry, sent = [1, 2].map((number) => sentPayment(number))) =>
    verdicts([entry], sent).map(outcome);

  it("payments without amounts are proven by the sum of their entry", () => {
    const both = details({ endToEndId: "E1" }, { endToEndId: "E2" });
    expect(words(sumOf(20000n, both))).toEqual(["settled", "settled"]);
    const batches = [{ paymentInformationId: "M1-1", payments: 2 }];
    expect(words(sumOf(20000n, both, { batches }))).toEqual(["settled", "settled"]);
    const charged = { charges: [{ amount: usd(150n) }] };
    expect(words(sumOf(20150n, both, charged))).toEqual(["settled", "settled"]);
  });

  it.each([20001n, 19999n, 10000n])("a sum of %d contradicts them", (minor) => {
    const both = details({ endToEndId: "E1" }, { endToEndId: "E2" });
    expect(words(sumOf(minor, both))).toEqual(["amount-differs", "amount-differs"]);
  });

  it("a sum that is partly another's proves nothing, unless it is too small", () => {
    const some = details({ endToEndId: "E1" }, { endToEndId: "FOREIGN" });
    expect(words(sumOf(30000n, some))).toEqual(["settled", "unknown"]);
    expect(words(sumOf(9999n, some))).toEqual(["amount-differs", "unknown"]);
  });

  it("the instructed amount alone is the amount", () => {
    const both = details(
      { endToEndId: "E1", instructed: usd(10000n) },
      { endToEndId: "E2", instructed: usd(9999n) },
    );
    expect(words(sumOf(19999n, both))).toEqual(["settled", "amount-differs"]);
  });

  it("a payment without its account is of any account", () => {
    const { account: _account, ...payment } = sentPayment(1);
    expect(words(bookedEntry("debit", { endToEndId: "E1" }), [payment])).toEqual(["settled"]);
  });
});

describe("a charge under a payment's reference", () => {
  const charge = (changes: Partial<Entry> = {}) =>
    bookedEntry(
      "debit",
      { endToEndId: "E1" },
      {
        number: 2,
        bankReference: "B9",
        amount: usd(1500n),
        code: { subFamily: "CHRG" },
        ...changes,
      },
    );
  const debit = bookedEntry("debit", { endToEndId: "E1" });

  it("is no second debit", () => {
    const found = verdicts([debit, charge()], [sentPayment(1)]);
    expect(found.map(outcome)).toEqual(["settled", "charge"]);
    expect(found[1]).toMatchObject({ charge: usd(1500n), payoutId: "po_1" });
    expect(verdicts([charge(), debit], [sentPayment(1)]).map(outcome)).toEqual([
      "charge",
      "settled",
    ]);
  });

  it.each(["CHRG", "COMM", "FEES"])("is known by the code %s of the payment's details", (code) => {
    const details = { endToEndId: "E1", code: { subFamily: code } };
    expect(only(bookedEntry("debit", details, { amount: usd(1n) }))).toBe("charge");
  });

  it("is known by SWIFT's code in the bank's own place", () => {
    const code = { proprietary: "NCHG+808" };
    expect(only(bookedEntry("debit", { endToEndId: "E1" }, { amount: usd(1n), code }))).toBe(
      "charge",
    );
  });

  it("is counted once in statements and notifications, and again under another reference", () => {
    const sent = new SentPayments([sentPayment(1, { state: "debited" })]);
    const judged = (kind: "statement" | "notification", entry: Entry) =>
      entryVerdicts(statementOf([entry]), kind, sent, profile).map(outcome);
    expect(judged("notification", charge({ bankReference: "N1" }))).toEqual(["charge"]);
    expect(judged("statement", charge({ bankReference: "S1" }))).toEqual(["known"]);
    expect(judged("statement", charge({ bankReference: "S1" }))).toEqual(["known"]);
    expect(judged("statement", charge({ bankReference: "S2" }))).toEqual(["charge"]);
    expect(judged("notification", charge({ bankReference: "N2" }))).toEqual(["known"]);
  });

  /** Judges successive statements on one payment. */
  const inTurn = (...statements: readonly (readonly Entry[])[]) => {
    const sent = new SentPayments([sentPayment(1, { state: "debited" })]);
    return statements.map((entries) =>
      entryVerdicts(statementOf(entries), "statement", sent, profile).map(outcome),
    );
  };
  const unnamed = (minor: bigint, number = 2) => {
    const { bankReference: _reference, ...rest } = charge({ amount: usd(minor), number });
    return rest;
  };

  it("of another amount is another charge, whatever its reference", () => {
    expect(inTurn([charge(), charge({ amount: usd(200n) })])).toEqual([["charge", "charge"]]);
    expect(inTurn([unnamed(1500n)], [unnamed(200n)])).toEqual([["charge"], ["charge"]]);
    expect(inTurn([charge()], [charge({ direction: "credit" })])).toEqual([["charge"], ["charge"]]);
    const sent = new SentPayments([sentPayment(1, { state: "debited" })]);
    const judged = (kind: "statement" | "notification", minor: bigint) =>
      entryVerdicts(statementOf([charge({ amount: usd(minor) })]), kind, sent, profile).map(
        outcome,
      );
    expect(judged("notification", 1500n)).toEqual(["charge"]);
    expect(judged("statement", 200n)).toEqual(["charge"]);
    expect(judged("statement", 1500n)).toEqual(["known"]);
  });

  it("of the same amount is another one under another reference, or in another entry", () => {
    expect(inTurn([charge(), charge({ bankReference: "B10" })])).toEqual([["charge", "charge"]]);
    const twice = [unnamed(1500n), unnamed(1500n, 3)];
    expect(inTurn(twice, twice)).toEqual([
      ["charge", "charge"],
      ["known", "known"],
    ]);
    expect(inTurn([charge()], [charge()])).toEqual([["charge"], ["known"]]);
  });

  it("without an amount of its own is no charge of the payment's amount", () => {
    const transactions = [
      { endToEndId: "E1", charges: [], code: { subFamily: "CHRG" } },
      { endToEndId: "FOREIGN", charges: [], amount: usd(1n) },
    ];
    const entry = bookedEntry("debit", undefined, { amount: usd(50000n), transactions });
    expect(verdicts([entry], [sentPayment(1, { state: "debited" })]).map(bare)).toEqual([
      { verdict: "unmatched", why: "charge-without-amount", payoutIds: ["po_1"] },
      { verdict: "unmatched", why: "unknown" },
    ]);
  });

  it("in another currency than the entry is no charge: the debited amount is unknown", () => {
    const transactions = ["E1", "E2"].map((endToEndId): EntryTransaction => {
      return { endToEndId, amount: { minor: 500n, currency: "GBP" }, charges: [] };
    });
    const entry = charge({ amount: usd(1270n), transactions });
    const why = "charge-without-amount";
    expect(verdicts([entry], [sentPayment(1), sentPayment(2)]).map(bare)).toEqual([
      { verdict: "unmatched", why, payoutIds: ["po_1"] },
      { verdict: "unmatched", why, payoutIds: ["po_2"] },
    ]);
  });

  it("that no account of the platform can book is no charge", () => {
    expect(only(charge({ amount: { minor: 500n, currency: "GBP" } }))).toBe(
      "charge-without-amount",
    );
    expect(only(charge({ amount: { minor: 500n, currency: "EUR" } }))).toBe("charge");
  });

  it("that is given back is below zero", () => {
    expect(verdicts([charge({ direction: "credit" })], [sentPayment(1)])).toMatchObject([
      { verdict: "charge", charge: usd(-1500n) },
    ]);
  });
});

describe("a statement and a notification", () => {
  const debit = (number: number, bankReference?: string) => {
    const entry = bookedEntry("debit", { endToEndId: "E1" }, { number });
    const { bankReference: _reference, ...rest } = entry;
    return bankReference === undefined ? rest : { ...rest, bankReference };
  };

  it("have one booking, under references of their own", () => {
    const sent = new SentPayments([sentPayment(1)]);
    const judged = (kind: "statement" | "notification", reference: string) =>
      entryVerdicts(statementOf([debit(1, reference)]), kind, sent, profile).map(outcome);
    expect(judged("notification", "N1")).toEqual(["settled"]);
    expect(judged("statement", "S1")).toEqual(["known"]);
    expect(judged("statement", "S1")).toEqual(["known"]);
    expect(judged("notification", "N2")).toEqual(["debited-twice"]);
    expect(judged("statement", "S2")).toEqual(["debited-twice"]);
  });

  it("have two bookings where one statement has two entries without a reference", () => {
    expect(verdicts([debit(1), debit(2)], [sentPayment(1)]).map(outcome)).toEqual([
      "settled",
      "debited-twice",
    ]);
  });
});
