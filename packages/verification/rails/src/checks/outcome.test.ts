import { expect, it } from "vitest";
import { endOf, outcomeVerdicts, type Paid } from "./outcome.ts";

const payout = (id: string, status: string, minor: bigint) => ({
  accepted: { id, minor },
  ...{ status, stage: status },
});
const ended = [
  payout("po_settled", "succeeded", 203n),
  payout("po_rejected", "failed", 204n),
  payout("po_returned", "failed", 205n),
];
const times: Record<string, number> = { po_settled: 1, po_rejected: 0, po_returned: 1 };
const returned: Record<string, number> = { po_returned: 1 };

/** Creates a counterpart's book with some errors. */
function book(changes: Partial<Paid> = {}): Paid {
  return {
    times: ({ id }) => times[id] ?? 0,
    returned: ({ id }) => returned[id] ?? 0,
    ...{ sum: 203n, confirms: true },
    ...changes,
  };
}

const problems = (all: typeof ended, paid: Paid, refused: readonly string[] = []) =>
  outcomeVerdicts(all, { refused }, paid).flatMap((verdict) => verdict.problems);

it("finds nothing where both sides agree", () => {
  expect(problems(ended, book())).toEqual([]);
});

it.each<[string, string, typeof ended, Partial<Paid>]>([
  ["a payment that was made twice", "was paid more than once", ended, { times: () => 2 }],
  ["one that settled and never left", "was not paid once", ended, { times: () => 0 }],
  ["one that failed and stayed away", "without coming back", ended, { returned: () => 0 }],
  ["a sum that differs", "204 left, 203 settled", ended, { sum: 204n }],
  ["one without an end", "not at its end", [payout("po_open", "initiated", 1n)], { sum: 0n }],
  ["one that is lost", "not at its end", [payout("po_gone", "lost", 1n)], { sum: 0n }],
])("finds %s", (_what, words, all, changes) => {
  expect(problems(all, book(changes)).join("; ")).toContain(words);
});

it("finds calls that were refused", () => {
  expect(problems(ended, book(), ["LIMIT_EXCEEDED"])).toEqual(["LIMIT_EXCEEDED"]);
});

it.each([
  ["settled", "po_settled", "succeeded", "settled", true, "succeeded"],
  ["settled, and came back meanwhile", "po_returned", "succeeded", "settled", true, "initiated"],
  ["back, and failed", "po_returned", "failed", "returned", true, "failed"],
  [
    "on its way, and the bank would confirm it",
    "po_settled",
    "initiated",
    "processing",
    true,
    "initiated",
  ],
  [
    "on its way, and no bank confirms it",
    "po_settled",
    "initiated",
    "processing",
    false,
    "succeeded",
  ],
  ["not sent", "po_rejected", "initiated", "processing", false, "initiated"],
  [
    "back, and no bank confirms a payment",
    "po_returned",
    "initiated",
    "processing",
    false,
    "initiated",
  ],
])("one that is %s", (_what, id, status, stage, confirms, end) => {
  expect(endOf({ id, minor: 1n }, status, stage, book({ confirms })).status).toBe(end);
});
