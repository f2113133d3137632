import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { FileDocument, PaymentDocument } from "@disburse/payout/rails/bank/documents.ts";
import { keyOf, type RailCallers } from "../callers/rail-callers.ts";
import type { SimulatedBank } from "./simulated-bank.ts";

/** States in which a rail says that a payout is not paid, or no more. */
const neverPaid: ReadonlySet<string> = new Set(["withdrawn", "rejected", "returned"]);

/** Each payout is paid once or taken back, and ends as the bank's own book has it. */
export function bankProblems(
  payments: readonly PaymentDocument[],
  files: readonly FileDocument[],
  { paid, returned, sent }: Pick<SimulatedBank, "paid" | "returned" | "sent">,
  { orders, withdrawn }: Pick<RailCallers, "orders" | "withdrawn">,
): string[] {
  const byKey = new Map(payments.map((each) => [each._id, each]));
  const cameBack = new Set(returned.map(keyOf));
  const unwritten = new Set(files.flatMap(({ left_out = [] }) => left_out.map(({ id }) => id)));
  const wrong = [...orders].flatMap(([key, amount]) => {
    const payment = byKey.get(key);
    if (payment === undefined) return [`${key} was submitted and is not there`];
    const { state, doubt } = payment;
    const credits = paid.filter(({ account }) => keyOf(account) === key);
    const written = cameBack.has(key) ? "returned" : "settled";
    const expected = unwritten.has(key) ? "rejected" : written;
    const isPaid = state === "settled" || state === "returned";
    const isWithdrawn = withdrawn.has(key) && !neverPaid.has(state);
    return [
      ...(credits.length === (isPaid ? 1 : 0)
        ? []
        : [`${key} is ${state} and was paid ${credits.length} times`]),
      ...(state === "withdrawn" || state === expected
        ? []
        : [`${key} is ${state}, at the bank ${expected}`]),
      ...(isWithdrawn ? [`${key} is ${state}, and its caller heard that it is never paid`] : []),
      ...(doubt === undefined ? [] : [`${key} is in doubt: ${doubt.why}`]),
      ...(credits.every(({ cents }) => cents === amount) ? [] : [`${key} paid otherwise`]),
      ...(state === "withdrawn" || fromDecimal128(payment.amount_minor) === amount
        ? []
        : [`${key} was taken with another amount`]),
    ];
  });
  const strangers = paid.filter(({ account }) => !orders.has(keyOf(account)));
  const unknown = sent.filter(({ name }) => !files.some((each) => each.name === name));
  const open = files.filter(({ state }) => state !== "sent" && state !== "void");
  return [
    ...wrong,
    ...strangers.map(({ account }) => `${account} was paid, which is no payout`),
    ...unknown.map(({ name }) => `${name} was sent, and no file says so`),
    ...open.map(({ _id, state }) => `file ${_id} is ${state} at the end`),
  ];
}
