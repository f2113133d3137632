import { refused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { dataAnswer, refusalAnswer } from "../answer.ts";
import { errorCodeOf, recordIdOf } from "./answered.ts";

const id = "po_01hqz0000000000000000000ab";
const other = "acc_01hqz0000000000000000000ab";
const bodyOf = (data: unknown) => dataAnswer(data).body;

it("finds the code of an error alone", () => {
  const { status, body } = refusalAnswer(refused("RATE_LIMITED"));
  expect(errorCodeOf(status, body)).toBe("RATE_LIMITED");
  expect(errorCodeOf(200, body)).toBeUndefined();
  expect(errorCodeOf(500, "<html>")).toBeUndefined();
  expect(errorCodeOf(500, Buffer.from(body))).toBeUndefined();
});

it.each([
  ["of the answer", bodyOf({ id, name: "Ada" }), [other], id],
  ["under its noun", bodyOf({ payout_id: id }), [], id],
  ["of the path, where the answer has none", bodyOf({ entries: [{ id }] }), [other], other],
  ["of the path, of an error", refusalAnswer(refused("RECORD_NOT_FOUND")).body, [other], other],
  ["the last of the path", undefined, [other, id], id],
  ["no text of the caller's own", bodyOf({}), ["ada@example.com"], undefined],
  ["no id that is not the record's", bodyOf({ name: "x", id }), [], undefined],
])("finds the record: %s", (_, body, params, found) => {
  expect(recordIdOf(body, params)).toBe(found);
});
