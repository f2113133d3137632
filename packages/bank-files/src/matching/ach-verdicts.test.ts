import { describe, expect, it } from "vitest";
import type { AchAddenda } from "../nacha/addenda.ts";
import type { ReadAch } from "../nacha/read.ts";
import { achVerdicts, type SentAch } from "./ach-verdicts.ts";

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
    ...{ number: "1", companyName: "", companyId: "", entryClass: "PPD", description: "" },
    ...{ odfi: "23138010", entries: [entry] },
  };
  return { destination: "", origin: "", modifier: "A", batches: [batch], unread: [] };
}

function sent(changes: Partial<SentAch> = {}): SentAch {
  return { payoutId: "po_1", trace, cents: 1234n, state: "sent", ...changes };
}

describe("what comes back of ACH credits", () => {
  it.each(["sent", "settled"] as const)("is a return of a payment that is %s", (state) => {
    expect(achVerdicts(file(1234n, returned), [sent({ state })])).toEqual([
      { verdict: "returned", payoutId: "po_1", code: "R02", cents: 1234n },
    ]);
  });

  it.each<[SentAch[], object]>([
    [[sent({ state: "returned" })], { verdict: "known", payoutId: "po_1" }],
    [[sent({ cents: 1235n })], { verdict: "doubt", payoutId: "po_1", doubt: "amount-differs" }],
    [[sent({ trace: "121042880000002" })], { verdict: "unmatched", unmatched: "unknown", line: 3 }],
    [[], { verdict: "unmatched", unmatched: "unknown", line: 3 }],
    [
      [sent(), sent({ payoutId: "po_2" })],
      { verdict: "unmatched", unmatched: "ambiguous", line: 3 },
    ],
    [
      [sent({ cents: 1n }), sent({ payoutId: "po_2", cents: 2n })],
      { verdict: "unmatched", unmatched: "ambiguous", line: 3 },
    ],
    [
      [sent({ cents: 1n }), sent({ payoutId: "po_2" })],
      { verdict: "returned", payoutId: "po_2", code: "R02", cents: 1234n },
    ],
  ])("%# is judged by trace number and amount", (payments, expected) => {
    expect(achVerdicts(file(1234n, returned), payments)).toEqual([expected]);
  });

  it("is a return once where it stands twice", () => {
    const twice = file(1234n, returned);
    const both = { ...twice, batches: [...twice.batches, ...twice.batches] };
    expect(achVerdicts(both, [sent()]).map(({ verdict }) => verdict)).toEqual([
      "returned",
      "known",
    ]);
  });

  it("is before an operator where it was dishonoured or contested", () => {
    const dishonoured: AchAddenda = { kind: "dishonoured", code: "R68", ...base, ...part };
    const contested: AchAddenda = {
      ...{ kind: "contested", code: "R71", ...base, ...part },
      ...{ dishonouredTrace: "121042880000077", dishonouredCode: "R68" },
    };
    const doubt = (addenda: AchAddenda[]) => achVerdicts(file(1234n, ...addenda), [sent()]);
    expect(doubt([dishonoured])).toMatchObject([{ verdict: "doubt", doubt: "dishonoured" }]);
    expect(doubt([returned, dishonoured])).toMatchObject([{ doubt: "dishonoured" }]);
    expect(doubt([returned, dishonoured, contested])).toMatchObject([{ doubt: "contested" }]);
  });

  it("is a proposed change, and nothing else", () => {
    const change: AchAddenda = {
      ...{ kind: "change", code: "C01", ...base, corrected: "5" },
      proposed: { account: "5" },
    };
    expect(achVerdicts(file(0n, change), [sent()])).toEqual([
      { verdict: "change", payoutId: "po_1", change },
    ]);
  });

  it("is nothing where an entry only has payment information", () => {
    expect(achVerdicts(file(1234n, { kind: "information", text: "x" }), [sent()])).toEqual([]);
  });
});
