import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { readOutcome } from "./wire.ts";

const { UNSPECIFIED, SETTLED, REJECTED, RETURNED } = RailOutcome;
const longest = "R".repeat(128);
const reference = "transaction_reference: must be 1 to 128 printable characters";

it.each<[string, RailOutcome, string, object | string]>([
  ["no outcome", UNSPECIFIED, "R-1", "outcome: is required"],
  ["a settlement", SETTLED, "R-1", { kind: "settled", reference: "R-1" }],
  ["a settlement, its reference long", SETTLED, longest, { kind: "settled", reference: longest }],
  ["a settlement, its reference too long", SETTLED, `${longest}R`, reference],
  ["a settlement, its reference with a space", SETTLED, "R 1", reference],
  ["a settlement without its reference", SETTLED, "", reference],
  ["a rejection", REJECTED, "", { kind: "rejected" }],
  ["a rejection with a reference", REJECTED, "R-1", { kind: "rejected" }],
  ["a return", RETURNED, "R-1", { kind: "returned", reference: "R-1" }],
  ["a return without a reference", RETURNED, "", { kind: "returned" }],
  ["a return with what is no reference", RETURNED, "R 1", { kind: "returned" }],
])("reads %s", (_what, outcome, transactionReference, expected) => {
  const read = readOutcome({ outcome, transactionReference });
  expect(isRefused(read) ? read.detail : read).toStrictEqual(expected);
});
