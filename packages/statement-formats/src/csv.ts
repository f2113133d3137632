import { formatAmount } from "@disburse/kernel/money.ts";
import { type Options, stringify } from "csv-stringify/sync";
import { type PartedFormat, type Period, type StatementLine, totalOf } from "./statement.ts";

const columns = [
  ...["type", "booked_at", "amount", "fees", "balance", "currency", "payout_id", "reference_id"],
  ...["beneficiary_name", "note", "sequence", "entry_id", "previous_hash", "hash"],
  ...["reissue_of", "reissued_as"],
] as const;

/** An amount in decimal digits. Spreadsheets never run it as a formula, so it is not escaped. */
type Amount = { readonly digits: string };

/**
 * The CSV format is RFC 4180. Texts that a spreadsheet would run as a formula are escaped; amounts
 * are not.
 */
const options: Options = {
  columns: [...columns],
  record_delimiter: "windows",
  escape_formulas: true,
  cast: { object: ({ digits }) => ({ value: String(digits), escape_formulas: false }) },
};

type Row = Partial<Record<(typeof columns)[number], string | Amount>>;

const amountOf = (minor: bigint, currency: string): Amount => ({
  digits: formatAmount(minor, currency),
});

/** CSV. The first row is the opening balance, and the last one the closing balance. */
export const csv: PartedFormat = { begin, lines: linesOf, end };

function begin({ account, from, opening }: Period): string {
  const { currency } = account;
  const balance = amountOf(totalOf(opening), currency);
  const row: Row = { type: "opening_balance", booked_at: from.toISOString(), balance, currency };
  return stringify([row], { ...options, header: true });
}

function linesOf(lines: readonly StatementLine[], currency: string): string {
  const rows = lines.map(
    (line): Row => ({
      type: line.step,
      booked_at: line.at.toISOString(),
      amount: amountOf(line.amount, currency),
      fees: amountOf(line.fees, currency),
      balance: amountOf(line.balance, currency),
      currency,
      payout_id: line.payoutId,
      reference_id: line.referenceId,
      beneficiary_name: line.beneficiaryName,
      note: line.note,
      sequence: String(line.sequence),
      entry_id: line.entryId,
      previous_hash: line.previousHash,
      hash: line.hash,
      reissue_of: line.reissueOf,
      reissued_as: line.reissuedAs,
    }),
  );
  return rows.length === 0 ? "" : stringify(rows, options);
}

function end(to: Date, balance: bigint, currency: string): string {
  const at = to.toISOString();
  const row: Row = { type: "closing_balance", booked_at: at, currency };
  return stringify([{ ...row, balance: amountOf(balance, currency) }], options);
}
