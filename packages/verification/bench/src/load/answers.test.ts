import { expect, test } from "vitest";
import {
  checkBeneficiary,
  checkExecuted,
  checkPage,
  checkPayout,
  checkQuote,
  WrongAnswerError,
} from "./answers.ts";

const suffix = "01m7zbfmzxb6kkzdxannv6w5pm";
const known = { id: `po_${suffix}`, amount: "5.00" };

/** A quote for 5.00 less 1.01. Parameters replace one text by another. */
function quoteText(from = "", to = ""): string {
  const text = `{"data":{"id":"qt_${suffix}","source_amount":5.00,"total_fees":1.01,
    "converted_amount":3.99}}`;
  return text.replace(from, to);
}

test("takes a quote whose amounts agree", () => {
  expect(checkQuote(quoteText(), "5.00")).toEqual({ id: `qt_${suffix}`, amount: "5.00" });
});

test.each([
  ["another amount", "5.00", "5.01"],
  ["fees that do not add up", "1.01", "1.02"],
  ["amounts as text", "3.99", '"3.99"'],
  ["no id", "qt_", "po_"],
  ["an error", '"data"', '"code"'],
])("refuses a quote with %s", (_each, from, to) => {
  expect(() => checkQuote(quoteText(from, to), "5.00")).toThrow(WrongAnswerError);
});

test.each([
  ["the quote's payout, queued", `po_${suffix}`, "Transaction Queued", true],
  ["another payout", `po_${suffix.replace("5", "6")}`, "Transaction Queued", false],
  ["another message", `po_${suffix}`, "Done", false],
])("judges an execute that answers with %s", (_each, id, message, isRight) => {
  const text = JSON.stringify({ data: { id, message } });
  const check = () => checkExecuted(text, { id: `qt_${suffix}`, amount: "5.00" });
  if (isRight) expect(check()).toEqual(known);
  else expect(check).toThrow(WrongAnswerError);
});

test.each([
  ["this payout", known.id, "5.00", "succeeded", true],
  ["this payout on its way", known.id, "5.00", "initiated", true],
  ["another payout", "po_x", "5.00", "succeeded", false],
  ["another amount", known.id, "5.10", "succeeded", false],
  ["a failed payout", known.id, "5.00", "failed", false],
])("judges a read of %s", (_each, id, amount, status, isRight) => {
  const text = `{"data":{"id":"${id}","source_amount":${amount},"status":"${status}"}}`;
  if (isRight) expect(() => checkPayout(text, known)).not.toThrow();
  else expect(() => checkPayout(text, known)).toThrow(WrongAnswerError);
});

const line = (id: string, day: number, source_amount = "5.00") => ({
  id,
  created_at: `2026-11-0${day}T00:00:00.000Z`,
  amount: { source_amount },
});

test.each([
  ["newest first", [line("a", 3), line("b", 2)], 2, true],
  ["of the same moment", [line("a", 3), line("b", 3)], 2, true],
  ["oldest first", [line("a", 2), line("b", 3)], 2, false],
  ["with a payout twice", [line("a", 3), line("a", 3)], 2, false],
  ["that is too short", [line("a", 3)], 1, false],
  ["with another amount", [line("a", 3, "5.01"), line("b", 2)], 2, false],
  ["of more than there are", [line("a", 3), line("b", 2)], 1, false],
])("judges a page %s", (_each, transactions, total_count, isRight) => {
  const text = JSON.stringify({ data: { transactions, meta_data: { total_count } } });
  const amountOf = (id: string) => (id === "a" ? "5.00" : undefined);
  if (isRight) expect(() => checkPage(text, 2, amountOf)).not.toThrow();
  else expect(() => checkPage(text, 2, amountOf)).toThrow(WrongAnswerError);
});

test("takes a beneficiary's id, and nothing else", () => {
  const id = `ben_${suffix}`;
  expect(checkBeneficiary(JSON.stringify({ data: { beneficiary_id: id } }))).toBe(id);
  expect(() => checkBeneficiary("{}")).toThrow(WrongAnswerError);
});
