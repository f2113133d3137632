import { isZero, moneyText } from "./rules/amounts.ts";

/** Shows an amount, always as text, with its currency. */
export function Money({
  amount,
  currency = "",
}: {
  amount: string;
  currency?: string | undefined;
}) {
  return <span className="money">{moneyText(amount, currency)}</span>;
}

/**
 * Shows a signed change of a balance. Its colour repeats the sign, except for a change that is not
 * of what is available.
 */
export function Change(props: { amount: string; currency: string; isHeld: boolean }) {
  const { amount, currency, isHeld } = props;
  const isPlus = !isZero(amount) && !amount.startsWith("-");
  return (
    <span className="money" data-sign={isHeld ? "held" : isPlus ? "plus" : "minus"}>
      {isPlus ? "+" : ""}
      {moneyText(amount, currency)}
    </span>
  );
}
