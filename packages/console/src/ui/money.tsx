import { moneyText } from "./rules/amounts.ts";

/** Shows an amount, always as text, with its currency. */
export function Money({ amount, currency = "" }: { amount: string; currency?: string }) {
  return <span className="money">{moneyText(amount, currency)}</span>;
}
