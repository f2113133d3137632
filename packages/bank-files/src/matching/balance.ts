import type { Statement, StatementFile } from "../iso20022/reports/statement.ts";
import type { Money } from "../text/minor-units.ts";

/**
 * The balances of one account for one day. `difference` is zero if opening plus booked equals
 * closing.
 */
export type StatementBalance = {
  readonly opening: Money;
  /** Credits minus debits of the booked entries. */
  readonly booked: Money;
  readonly closing: Money;
  /**
   * The actual minus the expected closing balance. Any value except 0 means that an entry is
   * missing or was not read.
   */
  readonly difference: Money;
};

/**
 * Checks that a statement's entries explain its closing balance. Requires exactly one opening
 * balance (`OPBD`, else `PRCD`) and one closing balance (`CLBD`) in the statement's currency, and
 * no entry in another currency. Otherwise returns `undefined`.
 */
export function statementBalance({ balances, entries }: Statement): StatementBalance | undefined {
  const of = (type: string) => balances.filter((each) => each.type === type);
  const [opening, ...otherOpenings] =
    [of("OPBD"), of("PRCD")].find((each) => each.length > 0) ?? [];
  const [closing, ...otherClosings] = of("CLBD");
  if (opening === undefined || closing === undefined) return undefined;
  if (otherOpenings.length > 0 || otherClosings.length > 0) return undefined;
  const { currency } = closing.amount;
  const booked = entries.filter(({ status }) => status === "booked");
  const isOne = [opening, ...booked].every(({ amount }) => amount.currency === currency);
  if (!isOne) return undefined;
  const sum = booked.reduce((total, { direction, amount }) => {
    return direction === "credit" ? total + amount.minor : total - amount.minor;
  }, 0n);
  return {
    opening: opening.amount,
    booked: { minor: sum, currency },
    closing: closing.amount,
    difference: { minor: closing.amount.minor - opening.amount.minor - sum, currency },
  };
}

/** A day of an account for which a statement gives the closing balance. */
export type StatementDay = StatementBalance & {
  readonly day: string;
  /**
   * True if entries were unreadable. Equal balances then prove nothing, because unreadable entries
   * may cancel each other out.
   */
  readonly hasGaps?: true;
};

/**
 * Returns the closed days of these accounts in a file of statements. An empty list means all
 * accounts.
 */
export function statementDays(
  { kind, statements }: StatementFile,
  accounts: readonly string[],
): StatementDay[] {
  if (kind !== "statement") return [];
  return statements
    .filter((each) => isOf(each, accounts))
    .flatMap((statement): StatementDay[] => {
      const balance = statementBalance(statement);
      const day = statement.balances.find(({ type }) => type === "CLBD")?.on;
      if (balance === undefined || day === undefined) return [];
      return [{ ...balance, day, ...(statement.hasGaps && { hasGaps: true }) }];
    });
}

/** True if the statement belongs to one of these accounts, or if the list is empty. */
export function isOf({ account }: Statement, accounts: readonly string[]): boolean {
  if (accounts.length === 0) return true;
  return [account.iban, account.number].some((each) => {
    return each !== undefined && accounts.includes(each);
  });
}
