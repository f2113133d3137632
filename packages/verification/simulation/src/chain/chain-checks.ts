import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { parseDecimal } from "@disburse/kernel/decimal.ts";
import type { TransferDocument } from "@disburse/payout/rails/chain/documents.ts";
import type { RailCallers } from "../callers/rail-callers.ts";

/** Each payout has at most one mined payment, and is settled where it has one; sums agree. */
export function walletProblems(
  transfers: readonly TransferDocument[],
  paid: readonly string[],
  { orders, withdrawn }: Pick<RailCallers, "orders" | "withdrawn">,
): string[] {
  const byKey = new Map(transfers.map((each) => [each._id, each]));
  const wrong = [...orders].flatMap(([key, amount]) => {
    const transfer = byKey.get(key);
    if (transfer === undefined) return [`${key} was submitted and is not there`];
    const { state, end } = transfer;
    const payments = paid.filter((to) => to === key).length;
    const expected = state === "settled" ? 1 : 0;
    const isEnded = state === "settled" || state === "withdrawn";
    const isOther = withdrawn.has(key) !== (state === "withdrawn");
    return [
      ...(payments === expected ? [] : [`${key} is ${state} and was paid ${payments} times`]),
      ...(isEnded ? [] : [`${key} is ${state} at the end`]),
      ...(isOther ? [`${key} is ${state}, and its caller heard otherwise`] : []),
      ...(state !== "settled" || isSame(end?.received, amount) ? [] : [`${key} paid otherwise`]),
      ...(state !== "settled" || fromDecimal128(transfer.amount_minor) === amount
        ? []
        : [`${key} was taken with another amount`]),
    ];
  });
  const strangers = paid.filter((to) => !orders.has(to) && !to.startsWith("outside-"));
  return [...wrong, ...strangers.map((to) => `${to} was paid, which is no payout`)];
}

/** Whether decimal text of six places is so many minor units. */
function isSame(text: string | undefined, minor: bigint): boolean {
  const decimal = parseDecimal(text ?? "");
  return decimal !== undefined && decimal.units * 10n ** BigInt(6 - decimal.scale) === minor;
}
