import type { Statement, StatementFile } from "@disburse/bank-files/iso20022/reports/statement.ts";
import { statementBalance } from "@disburse/bank-files/matching/balance.ts";
import { moneyText } from "@disburse/bank-files/text/minor-units.ts";
import type { DayBalance, Found } from "../format.ts";

/** Whether a statement is of one of these accounts. */
export function isOf({ account }: Statement, accounts: readonly string[]): boolean {
  return [account.iban, account.number].some((each) => {
    return each !== undefined && accounts.includes(each);
  });
}

/**
 * The balances of each day that a file closes for accounts of ours, where it does not agree with
 * itself, and statements of others.
 */
export function dayBalances(
  { kind, statements }: StatementFile,
  accounts: readonly string[],
): { readonly balances: readonly DayBalance[]; readonly found: readonly Found[] } {
  const balances: DayBalance[] = [];
  const found: Found[] = [];
  for (const [at, statement] of statements.entries()) {
    const place = `statement ${at + 1}`;
    if (!isOf(statement, accounts)) {
      found.push({ kind: "unmatched", what: "another-account", place });
      continue;
    }
    const balance = kind === "statement" ? statementBalance(statement) : undefined;
    const day = statement.balances.find(({ type }) => type === "CLBD")?.on;
    if (balance === undefined || day === undefined) continue;
    const { opening, closing, difference } = balance;
    const { currency } = closing;
    balances.push({ day, currency, opening: opening.minor, closing: closing.minor });
    if (difference.minor === 0n) continue;
    const amount = `${moneyText(difference)} ${currency}`;
    const what = "opening, entries and closing do not agree";
    found.push({ kind: "balance", what, place: day, amount });
  }
  return { balances, found };
}
