import { moneyText } from "./rules/amounts.ts";

/** An amount as text with its currency; never a number. */
export function Money({ amount, currency = "" }: { amount: string; currency?: string }) {
  return <span className="money">{moneyText(amount, currency)}</span>;
}
