import { expect, it } from "vitest";
import { findRefusal, type RememberedRefusals, refusalKeyOf, withRefusal } from "./refusals.ts";
import type { Movement } from "./rules/account.ts";

const operationId = "op";
const note = "";
const amount = 1n;

it.each<[Movement, string | undefined]>([
  [{ step: "credit", operationId, amount, note }, "acc_1:credit:op"],
  [{ step: "fund", operationId, amount, note }, "acc_1:fund:op"],
  [{ step: "sweep", operationId, amount, note }, "acc_1:sweep:op"],
  [
    { step: "reversal", operationId, creditKey: "acc_1:credit:c", note },
    "acc_1:credit:c:reversal:op",
  ],
  [{ step: "hold", payoutId: "po_1", amount, note }, undefined],
  [{ step: "rail_hold", payoutId: "po_1", amount, note }, undefined],
  [{ step: "rail_charge", of: { operationId }, amount, note }, undefined],
])("the refusal of %o is final under %s", (movement, key) => {
  expect(refusalKeyOf("acc_1", movement)).toBe(key);
});

it("an account remembers the last hundred refusals", () => {
  let remembered: RememberedRefusals = {};
  for (let at = 1; at <= 101; at += 1) {
    remembered = withRefusal(remembered, { key: `k${at}`, outcome: "insufficient" });
  }
  expect(remembered.recent_refusals).toHaveLength(100);
  expect(findRefusal(remembered, "k1")).toBeUndefined();
  expect(findRefusal(remembered, "k2")).toEqual({ key: "k2", outcome: "insufficient" });
  expect(findRefusal(remembered, "k101")).toEqual({ key: "k101", outcome: "insufficient" });
  expect(findRefusal(remembered, undefined)).toBeUndefined();
  expect(findRefusal({}, "k1")).toBeUndefined();
});
