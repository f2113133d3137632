import { Bank } from "@disburse/bank-simulator/bank.ts";
import { type Outcome, outcomesInOrder } from "@disburse/bank-simulator/outcomes.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { achVerdicts } from "./matching/ach-verdicts.ts";
import { SentPayments } from "./matching/sent-payment.ts";
import { sentPayment } from "./matching/test-sent.ts";
import { achFile, achProfile, credit } from "./nacha/test-credits.ts";
import { writeAch } from "./nacha/write.ts";
import { endToEndIdOf } from "./references.ts";
import { readOnlyAch } from "./test-read.ts";

const now = () => new Date("2026-11-25T20:00:00.000Z");

/** Writes a file with a credit for each outcome, and judges the bank's reply to it. */
function roundTrip(each: readonly Outcome[], balanced: boolean) {
  const balancedBy = { routing: "121042882", account: "55501", accountType: "checking" } as const;
  const profile = balanced ? { ...achProfile, balancedBy } : achProfile;
  const credits = each.map((_, at) => credit(at, { cents: BigInt(1000 + at), remittance: "Pay" }));
  const file = writeAch(profile, achFile(credits));
  if (isRefused(file)) throw new Error(JSON.stringify(file.faults));
  const bank = new Bank({ outcomeOf: outcomesInOrder(each), now });
  const replies = bank.receive(file.bytes);
  expect(bank.receipts).toMatchObject([{ taken: "paid", faults: [] }]);
  const sent = file.traces.map(({ payoutId, trace }, at) => {
    const amount = { minor: BigInt(1000 + at), currency: "USD" };
    const { id: companyId } = achProfile.company;
    return sentPayment(at, { payoutId, trace, amount, companyId, state: "debited" });
  });
  const verdicts = replies.flatMap(({ bytes }) => {
    const read = readOnlyAch(bytes);
    expect(read.unread).toEqual([]);
    return [...achVerdicts(read, new SentPayments(sent))];
  });
  return { bank, credits, verdicts };
}

describe("a NACHA file of ours, and the bank's replies", () => {
  it.each([[true], [false]])("leads each credit to its outcome; balanced: %s", (balanced) => {
    const all = ["settled", "returned", "contested", "changed", "waiting", "rejected"] as const;
    const { bank, credits, verdicts } = roundTrip(all, balanced);
    const [, returned, contested, changed, , rejected] = credits.map(({ payoutId }) => payoutId);
    expect(verdicts).toMatchObject([
      { verdict: "returned", payoutId: returned, amount: { minor: 1001n } },
      { verdict: "returned", payoutId: rejected, amount: { minor: 1005n } },
      { verdict: "unknown_outcome", payoutId: contested, why: "contested" },
      { verdict: "change", payoutId: changed, change: { code: "C01", proposed: {} } },
    ]);
    const paid = credits.map(({ payoutId }) => bank.book.paid(endToEndIdOf(payoutId)));
    expect(paid).toEqual([1, 1, 1, 1, 0, 1]);
    expect(bank.book.balance(balanced ? "55501" : "ACH-SETTLEMENT")).toBe(
      100_000_000n - 5011n + 2006n,
    );
  });

  it("is paid in several batches, each debited by its own balancing entry", () => {
    const most = 9_999_999_999n;
    const balancedBy = { routing: "121042882", account: "55501", accountType: "checking" } as const;
    const credits = [most, 1n, most].map((cents, at) => credit(at, { cents }));
    const file = writeAch({ ...achProfile, balancedBy }, achFile(credits));
    if (isRefused(file)) throw new Error(JSON.stringify(file.faults));
    const bank = new Bank({ outcomeOf: outcomesInOrder(["settled", "settled", "settled"]), now });
    bank.receive(file.bytes);
    expect(bank.receipts).toMatchObject([{ taken: "paid", faults: [] }]);
    expect(bank.book.balance("55501")).toBe(100_000_000n - 2n * most - 1n);
  });

  it("is refused where a digit is another one", () => {
    const file = writeAch(achProfile, achFile([credit(1)]));
    if (isRefused(file)) throw new Error("is not written");
    const text = new TextDecoder().decode(file.bytes).replace("0000001234", "0000009234");
    const bank = new Bank({ now });
    expect(bank.receive(new TextEncoder().encode(text))).toEqual([]);
    expect(bank.receipts).toMatchObject([{ taken: "refused" }]);
  });
});
