import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { openPdf } from "./pdf-page.ts";
import { printableName } from "./printable.ts";
import {
  type Balances,
  type BookedStep,
  type Period,
  reissueTexts,
  type StatementLine,
  totalOf,
} from "./statement.ts";

/**
 * The maximum number of lines in a PDF, about 60 pages. They are rendered in a second or two,
 * within the deadline of a call.
 */
export const pdfLinesMax = 2_000;

const names: Readonly<Record<BookedStep, string>> = {
  credit: "Credit",
  post: "Payout",
  return: "Payout returned",
  reversal: "Credit reversed",
};

const columns = [
  { title: "Booked (UTC)", share: 0.19 },
  { title: "Movement", share: 0.15 },
  { title: "Reference", share: 0.28 },
  { title: "Amount", share: 0.19, isNumber: true },
  { title: "Balance", share: 0.19, isNumber: true },
];

export async function pdfStatement(
  period: Period,
  lines: readonly StatementLine[],
  createdAt: Date,
): Promise<Buffer> {
  const { account, opening, closing, credits, debits } = period;
  const { currency } = account;
  const amount = (minor: bigint) => `${formatAmount(minor, currency)} ${currency}`;
  const page = await openPdf("Account statement");
  page.fields([
    ["Account", account.id],
    ["Currency", `${currencyOf(currency).name} (${currency})`],
    ["From", timeText(period.from)],
    ["To, not included", timeText(period.to)],
    ["Opening balance", balanceText(opening, amount)],
    [`Received (${credits.count})`, amount(credits.sum)],
    [`Paid out (${debits.count})`, amount(debits.sum)],
    ["Closing balance", balanceText(closing, amount)],
  ]);
  await page.table(
    columns,
    lines.map((line) => [
      timeText(line.at),
      names[line.step],
      [line.referenceId, nameOf(line), line.note, line.payoutId, ...reissueTexts(line)]
        .filter((each) => each !== "")
        .join(" · "),
      formatAmount(line.amount, currency),
      formatAmount(line.balance, currency),
    ]),
  );
  if (lines.length === 0) page.text("No movement in this period.");
  page.text(`Made ${timeText(createdAt)}. Amounts of payouts include their fees.`);
  return page.end();
}

function nameOf({ beneficiaryName, beneficiaryNameLatin }: StatementLine): string {
  return printableName(beneficiaryName, beneficiaryNameLatin);
}

function balanceText(balances: Balances, amount: (minor: bigint) => string): string {
  const { held } = balances;
  const total = amount(totalOf(balances));
  return held === 0n ? total : `${total}, of which ${amount(held)} held for payouts in progress`;
}

/** Formats a time in UTC, for example `2026-11-20 11:26:00`. */
function timeText(at: Date): string {
  return at.toISOString().slice(0, 19).replace("T", " ");
}
