import { describe, expect, it } from "vitest";
import type { Movement } from "./account.ts";
import { emptyAccount, runMovements } from "./test-runs.ts";

/** Applies movements one after the other. Returns each outcome, the entries and the balances. */
function run(...movements: readonly Movement[]) {
  const { state, outcomes, entries } = runMovements(emptyAccount, movements);
  return {
    outcomes,
    keys: entries.map(({ key }) => key).slice(1),
    balances: [state.available, state.held],
    initiated: state.counts.initiated,
  };
}

const note = "";
const credit: Movement = { step: "credit", operationId: "op_1", amount: 100n, note };
const reserve: Movement = { step: "reserve", orderId: "spo_1", amount: 60n, note };
const unreserve: Movement = { step: "unreserve", orderId: "spo_1", note };
const hold = (amount: bigint, payoutId = "po_1"): Movement => ({
  ...{ step: "hold", payoutId, amount, note, reservedFor: "spo_1" },
});

describe("a reservation", () => {
  it("holds its amount once, and gives it back once", () => {
    const { outcomes, balances, keys } = run(credit, reserve, reserve, unreserve, unreserve);
    expect(outcomes).toEqual(["applied", "applied", "repeated", "applied", "repeated"]);
    expect([keys, balances]).toEqual([
      ["spo_1:reserve", "spo_1:unreserve"],
      [100n, 0n],
    ]);
  });

  it("is no payout", () => {
    expect(run(credit, reserve).initiated).toBe(0);
  });

  it("of more than there is, or that never was, is refused", () => {
    expect(run(reserve).outcomes).toEqual(["insufficient"]);
    expect(run(credit, unreserve).outcomes).toEqual(["applied", "nothing_to_end"]);
  });

  it.each([1n, 40n, 60n])("becomes a hold of %d, and the rest is available", (amount) => {
    const { balances, keys } = run(credit, reserve, hold(amount));
    expect(balances).toEqual([100n - amount, amount]);
    expect(keys).toEqual(["spo_1:reserve", "spo_1:unreserve", "po_1:hold"]);
  });

  it("stays if the hold needs more than there is", () => {
    const { outcomes, balances, keys } = run(credit, reserve, hold(101n));
    expect(outcomes).toEqual(["applied", "applied", "insufficient"]);
    expect([balances, keys]).toEqual([[40n, 60n], ["spo_1:reserve"]]);
  });

  it("stays for a repeated hold, and is used up by one payout", () => {
    const plain: Movement = { step: "hold", payoutId: "po_1", amount: 10n, note };
    expect(run(credit, plain, reserve, hold(10n)).balances).toEqual([30n, 70n]);
    const { outcomes, balances } = run(credit, reserve, hold(50n), hold(51n, "po_2"));
    expect(outcomes).toEqual(["applied", "applied", "applied", "insufficient"]);
    expect(balances).toEqual([50n, 50n]);
  });
});
