import { parseDecimal, rescale } from "@disburse/kernel/decimal.ts";
import { ExactNumber, parseExactJson } from "@disburse/kernel/exact-json.ts";

export class WrongAnswerError extends Error {
  override name = "WrongAnswerError";
}

export type KnownRecord = { readonly id: string; readonly amount: string };

function must(holds: boolean, what: string, text: string): void {
  if (!holds) throw new WrongAnswerError(`${what}: ${text.slice(0, 500)}`);
}

type Fields = Readonly<Record<string, unknown>>;

const dataOf = (text: string): Fields =>
  (parseExactJson(text) as { readonly data?: Fields }).data ?? {};

const cents = (amount: string): bigint => BigInt(amount.replace(".", ""));

/** Returns an amount in US dollars as cents. */
function usd(value: unknown, text: string): bigint {
  const decimal = value instanceof ExactNumber ? parseDecimal(value.text) : undefined;
  must(decimal !== undefined, "an amount is not a number", text);
  return decimal === undefined ? 0n : rescale(decimal, 2);
}

/** Checks that the response is a quote for the requested amount, and returns the quote. */
export function checkQuote(text: string, amount: string): KnownRecord {
  const { id, source_amount, converted_amount, total_fees } = dataOf(text);
  must(usd(source_amount, text) === cents(amount), `not a quote for ${amount}`, text);
  const sum = usd(converted_amount, text) + usd(total_fees, text);
  must(sum === cents(amount), "fees do not add up", text);
  must(/^qt_\w{26}$/.test(String(id)), "no quote id", text);
  return { id: String(id), amount };
}

/** Returns the payout's id. It equals the quote's id except for the prefix. */
export function payoutIdOf({ id }: KnownRecord): string {
  return id.replace("qt_", "po_");
}

/** Checks that the response is the quote's payout in the queued state, and returns the payout. */
export function checkExecuted(text: string, quote: KnownRecord): KnownRecord {
  const { id, message } = dataOf(text);
  const wanted = payoutIdOf(quote);
  must(id === wanted && message === "Transaction Queued", "not queued", text);
  return { id: wanted, amount: quote.amount };
}

/** Checks that the response is this payout with the requested amount. */
export function checkPayout(text: string, { id, amount }: KnownRecord): void {
  const data = dataOf(text);
  must(data.id === id, `not payout ${id}`, text);
  must(usd(data.source_amount, text) === cents(amount), `not an amount of ${amount}`, text);
  must(["initiated", "succeeded"].includes(String(data.status)), "failed", text);
}

type Line = {
  readonly id: string;
  readonly created_at: string;
  readonly amount: { readonly source_amount: string };
};
type Page = {
  readonly transactions: Line[];
  readonly meta_data: { readonly total_count: number };
};

/** Checks that a page is full, newest first, without duplicates, and has only requested amounts. */
export function checkPage(
  text: string,
  length: number,
  amountOf: (payoutId: string) => string | undefined,
): void {
  const { transactions, meta_data } = (JSON.parse(text) as { readonly data: Page }).data;
  must(transactions.length === length, `not a page of ${length}`, text);
  must(new Set(transactions.map(({ id }) => id)).size === length, "a payout twice", text);
  const times = transactions.map(({ created_at }) => created_at);
  const isNewestFirst = times.every((time, at) => at === 0 || time <= (times[at - 1] ?? ""));
  must(isNewestFirst, "not newest first", text);
  must(meta_data.total_count >= length, "fewer in all than on the page", text);
  for (const { id, amount } of transactions) {
    const requested = amountOf(id) ?? amount.source_amount;
    must(amount.source_amount === requested, `${id} was for ${requested}`, text);
  }
}

export function checkBeneficiary(text: string): string {
  const id = String(dataOf(text).beneficiary_id);
  must(/^ben_\w{26}$/.test(id), "no beneficiary", text);
  return id;
}
