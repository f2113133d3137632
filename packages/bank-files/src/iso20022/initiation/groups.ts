import type { Account, Payment } from "./payment.ts";

/** Payments that one block of a file may hold: same account, currency, day and charge bearer. */
export type PaymentGroup = readonly [Payment, ...Payment[]];

/** Payments by what has to be the same in a block, in the order in which the first of each came. */
export function paymentGroups(payments: readonly Payment[]): PaymentGroup[] {
  const groups = new Map<string, [Payment, ...Payment[]]>();
  for (const payment of payments) {
    const key = groupKey(payment);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [payment]);
    else group.push(payment);
  }
  return [...groups.values()];
}

function groupKey({ debtor, amount, requestedOn, chargeBearer }: Payment): string {
  const { agent, account } = debtor;
  const bank = [agent.bic, agent.clearing?.system, agent.clearing?.member];
  return JSON.stringify([accountKey(account), bank, amount.currency, requestedOn, chargeBearer]);
}

function accountKey(account: Account): readonly string[] {
  return account.kind === "iban" ? ["iban", account.iban] : ["number", account.number];
}
