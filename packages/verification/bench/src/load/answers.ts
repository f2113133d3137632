import { parseDecimal, rescale } from "@disburse/kernel/decimal.ts";
import { ExactNumber, parseExactJson } from "@disburse/kernel/exact-json.ts";

/** Thrown for a wrong answer. It ends the bench. */
export class WrongAnswerError extends Error {
  override name = "WrongAnswerError";
}

/** A quote or payout, and the amount that was requested. */
export type KnownRecord = { readonly id: string; readonly amount: string };

const usdDecimals = 2;

function must(holds: boolean, what: string, text: string): void {
  if (!holds) throw new WrongAnswerError(`${what}: ${text.slice(0, 500)}`);
}

type Fields = Readonly<Record<string, unknown>>;

function dataOf(text: string): Fields {
  const { data } = parseExactJson(text) as { data?: Fields };
  must(typeof data === "object" && data !== null, "no data", text);
  return data as Fields;
}

function minor(value: unknown, decimals: number, text: string): bigint {
  const decimal = value instanceof ExactNumber ? parseDecimal(value.text) : undefined;
  must(decimal !== undefined, "an amount is not a number", text);
  return decimal === undefined ? 0n : rescale(decimal, decimals);
}

const cents = (amount: string): bigint => BigInt(amount.replace(".", ""));

/** Checks that this is a quote for the requested amount; returns it. */
export function checkQuote(text: string, amount: string): KnownRecord {
  const data = dataOf(text);
  const usd = (field: string) => minor(data[field], usdDecimals, text);
  must(usd("source_amount") === cents(amount), `not a quote for ${amount}`, text);
  must(usd("converted_amount") + usd("total_fees") === cents(amount), "fees do not add up", text);
  must(/^qt_\w{26}$/.test(String(data.id)), "no quote id", text);
  return { id: String(data.id), amount };
}

/** A quote's payout has the quote's id, but for the kind. */
export function payoutIdOf({ id }: KnownRecord): string {
  return id.replace("qt_", "po_");
}

/** The payout of this quote, queued. */
export function checkExecuted(text: string, quote: KnownRecord): KnownRecord {
  const data = dataOf(text);
  const id = payoutIdOf(quote);
  must(data.id === id && data.message === "Transaction Queued", "not queued", text);
  return { id, amount: quote.amount };
}

/** This payout, with the requested amount. */
export function checkPayout(text: string, payout: KnownRecord): void {
  const data = dataOf(text);
  must(data.id === payout.id, `not payout ${payout.id}`, text);
  const source = minor(data.source_amount, usdDecimals, text);
  must(source === cents(payout.amount), `not an amount of ${payout.amount}`, text);
  must(data.status === "initiated" || data.status === "succeeded", "failed", text);
}

type Line = {
  readonly id: string;
  readonly created_at: string;
  readonly amount: { readonly source_amount: string };
};

/** A full page, newest first, nothing twice, with the requested amounts. */
export function checkPage(
  text: string,
  length: number,
  amountOf: (payoutId: string) => string | undefined,
): void {
  const { transactions, meta_data } = (
    JSON.parse(text) as {
      data: { transactions: Line[]; meta_data: { total_count: number } };
    }
  ).data;
  must(transactions.length === length, `not a page of ${length}`, text);
  must(new Set(transactions.map(({ id }) => id)).size === length, "a payout twice", text);
  const isNewestFirst = transactions.every(
    ({ created_at }, at) => at === 0 || created_at <= (transactions[at - 1]?.created_at ?? ""),
  );
  must(isNewestFirst, "not newest first", text);
  must(meta_data.total_count >= length, "fewer in all than on the page", text);
  for (const { id, amount } of transactions) {
    const requested = amountOf(id) ?? amount.source_amount;
    must(amount.source_amount === requested, `${id} was for ${requested}`, text);
  }
}

/** A beneficiary's id. */
export function checkBeneficiary(text: string): string {
  const id = String(dataOf(text).beneficiary_id);
  must(/^ben_\w{26}$/.test(id), "no beneficiary", text);
  return id;
}
