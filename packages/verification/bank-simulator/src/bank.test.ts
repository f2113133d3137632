import { describe, expect, it } from "vitest";
import { Bank } from "./bank.ts";
import type { BankOptions } from "./bank-options.ts";
import { type Outcome, outcomesByRules, outcomesInOrder } from "./outcomes.ts";
import { initiation } from "./test-initiation.ts";

const now = () => new Date("2026-11-25T20:00:00.000Z");

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const bankOf = (options: Partial<BankOptions>) => new Bank({ now, ...options });

describe("the bank", () => {
  it("pays a file once, and refuses it the second time", () => {
    const bank = bankOf({});
    bank.receive(initiation(["10.00"]));
    const [again] = bank.receive(initiation(["10.00"]));
    expect(text(again?.bytes)).toContain("<GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>DU01</Cd>");
    expect(bank.receipts.map(({ taken }) => taken)).toEqual(["paid", "duplicate"]);
    expect(bank.book.paid("EM10")).toBe(1);
  });

  it("refuses another file under a MsgId that it has had", () => {
    const bank = bankOf({});
    bank.receive(initiation(["10.00"]));
    bank.receive(initiation(["11.00"]));
    expect(bank.book.sums("EUR").paid).toBe(1000n);
  });

  it("shows a double payment where it does not refuse it", () => {
    const bank = bankOf({ duplicates: "pay" });
    bank.receive(initiation(["10.00"]));
    bank.receive(initiation(["10.00"]));
    expect(bank.book.paid("EM10")).toBe(2);
  });

  it("shows a payment that stands in two files", () => {
    const bank = bankOf({});
    bank.receive(initiation(["10.00"]));
    bank.receive(
      new TextEncoder().encode(
        text(initiation(["10.00"], "M1"))
          .replaceAll("M1<", "M2<")
          .replace("M1-1", "M2-1"),
      ),
    );
    expect(bank.receipts.map(({ taken }) => taken)).toEqual(["paid", "paid"]);
    expect(bank.book.paid("EM10")).toBe(2);
  });

  it.each([
    ["a sum that does not agree", initiation(["10.00", "1.00"], "M1", "12.00")],
    ["an amount of nothing", initiation(["0.00"], "M1", "0.00")],
    [
      "no UETR",
      new TextEncoder().encode(text(initiation(["1.00"])).replace(/<UETR>.*<\/UETR>/, "")),
    ],
  ])("refuses a file with %s", (_what, bytes) => {
    const bank = bankOf({});
    const [answer] = bank.receive(bytes);
    expect(text(answer?.bytes)).toContain("FF01");
    expect(bank.book.payments()).toEqual([]);
  });

  it("answers nothing to what is no file", () => {
    const bank = bankOf({});
    expect(bank.receive(new TextEncoder().encode("<html/>"))).toEqual([]);
    expect(bank.receipts).toMatchObject([{ taken: "refused" }]);
  });

  it.each<[Outcome, number, number]>([
    ["settled", 1, 0],
    ["rejected", 0, 0],
    ["duplicate", 0, 0],
    ["returned", 1, 1],
    ["returned-short", 1, 1],
    ["waiting", 0, 0],
    ["contested", 1, 0],
    ["changed", 1, 0],
  ])("debits and credits a payment that is %s", (outcome, paid, returned) => {
    const bank = bankOf({ outcomeOf: outcomesInOrder([outcome]) });
    bank.receive(initiation(["10.00"]));
    expect([bank.book.paid("EM10"), bank.book.returned("EM10")]).toEqual([paid, returned]);
  });

  it("books what waits when it is released, once", () => {
    const bank = bankOf({ outcomeOf: outcomesInOrder(["waiting"]) });
    bank.receive(initiation(["10.00"]));
    bank.release("EM10");
    expect(bank.book.paid("EM10")).toBe(1);
    expect(() => bank.release("EM10")).toThrow("no waiting payment has the id EM10");
  });

  it("has statements whose days follow each other", () => {
    const bank = bankOf({ opening: 10_000n, debitCharge: 25n, returnCharge: 7n });
    bank.receive(initiation(["10.00"]));
    const [first] = bank.closeDay("2026-11-25");
    expect(text(first?.bytes)).toMatch(/OPBD.*?100\.00.*CLBD.*?89\.75.*<Amt Ccy="EUR">10\.25</);
    bank.giveBack("EM10", 7n);
    const [second] = bank.closeDay("2026-11-26");
    expect(text(second?.bytes)).toMatch(/OPBD.*?89\.75.*CLBD.*?99\.68/);
    expect(text(second?.bytes)).toContain("<ElctrncSeqNb>2</ElctrncSeqNb>");
  });

  it("has outcomes by amount and by a part of a name", () => {
    const outcomeOf = outcomesByRules([
      { outcome: "rejected", amount: "10.01" },
      { outcome: "returned", name: "LOVE", amount: "10.02" },
    ]);
    const bank = bankOf({ outcomeOf });
    bank.receive(initiation(["10.00", "10.01", "10.02"]));
    expect(["EM10", "EM11", "EM12"].map((id) => bank.book.paid(id))).toEqual([1, 0, 1]);
    expect(bank.book.returned("EM12")).toBe(1);
  });
});
