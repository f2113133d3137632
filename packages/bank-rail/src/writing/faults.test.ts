import { refused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { writeFitting } from "./faults.ts";

type Fault = { readonly payoutId?: string; readonly field: string; readonly problem: string };

const a = { payoutId: "a" };
const b = { payoutId: "b" };
const own: Fault = { payoutId: "a", field: "creditor.name", problem: "is too long" };
const odfi: Fault = { field: "odfi", problem: "is not eight digits" };
const limit: Fault = { field: "credits", problem: "are over 1" };
const stored: Fault = { payoutId: "b", field: "uetr", problem: "is no UUID" };

/** Returns a writer that finds one list of faults at each call, and then writes. */
function writing(...calls: readonly (readonly Fault[])[]) {
  const left = [...calls];
  return writeFitting([a, b], (payments) => {
    const faults = left.shift() ?? [];
    if (faults.length > 0) return { ...refused("UNWRITABLE"), faults };
    return { ids: payments.map(({ payoutId }) => payoutId) };
  });
}

const leftOut = [{ id: "a", field: "creditor.name", problem: "is too long" }];

describe("faults of a file", () => {
  it.each<[string, readonly (readonly Fault[])[], object]>([
    ["are none", [], { written: { ids: ["a", "b"] }, leftOut: [] }],
    ["are a payment's own: it is left out", [[own]], { written: { ids: ["b"] }, leftOut }],
    ["are all payments' own", [[own, { ...own, payoutId: "b" }]], { written: undefined }],
    ["are a payment's own and a limit that it passed", [[limit, own]], { leftOut }],
    [
      "are a limit that the others pass",
      [[own, limit], [limit]],
      { refused: "DEFECT", problems: ["credits: are over 1"] },
    ],
    [
      "are in data that no merchant entered",
      [[stored]],
      { refused: "DEFECT", problems: ["uetr: is no UUID"] },
    ],
    [
      "are the profile's, whatever else there is",
      [[own, stored, limit, odfi]],
      { refused: "UNWRITABLE", problems: ["odfi: is not eight digits"] },
    ],
  ])("%s", (_name, calls, expected) => {
    expect(writing(...calls)).toMatchObject(expected);
  });
});
