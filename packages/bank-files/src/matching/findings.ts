import type { Unread } from "../iso20022/reports/report.ts";
import type { AchChange } from "../nacha/addenda.ts";
import type { BankDocument } from "../read.ts";
import { type Money, moneyText } from "../text/minor-units.ts";
import type { StatementDay } from "./balance.ts";
import type { FileVerdict, Wanted } from "./judge.ts";
import { codeOf } from "./proof.ts";

/** An unread or contradictory part of a file, without the part's text. */
export type UnreadPart = Unread & {
  /** True in a NACHA file, where the part may hide a return. */
  readonly mayHideReturn: boolean;
};

/** Facts about a file, available before its payments are loaded. */
export type FileSummary = {
  readonly documents: readonly { readonly kind: BankDocument["kind"]; readonly version: string }[];
  readonly unread: readonly UnreadPart[];
  /** The references by which the caller finds the payments for `judge`. */
  readonly wanted: Wanted;
  readonly days: readonly StatementDay[];
};

/** A part of a file that an operator must check. */
export type FileFinding = {
  readonly kind: "unknown_outcome" | "unmatched" | "unread" | "waiting" | "balance" | "change";
  /** A code from a closed list, or a problem text of the reader. It contains no personal data. */
  readonly what: string;
  readonly place?: string;
  readonly payoutId?: string;
  /** Decimal text and currency; outgoing amounts are below zero. */
  readonly amount?: string;
  /** Personal data: encrypt it at rest, and never show it. */
  readonly details?: string;
  /**
   * True if the part may hide a report. While the finding is open, the absence of a report proves
   * nothing.
   */
  readonly holds?: boolean;
};

/** Lists the unread parts of a file, and the days whose balances differ. */
export function summaryFindings({ unread, days }: FileSummary): FileFinding[] {
  return [
    ...unread.map(({ place, problem, mayHideReturn }): FileFinding => {
      return { kind: "unread", what: problem, place, ...(mayHideReturn && { holds: true }) };
    }),
    ...days
      .filter(({ difference }) => difference.minor !== 0n)
      .map(({ day, difference }): FileFinding => {
        const what = "opening, entries and closing do not agree";
        return { kind: "balance", what, place: day, amount: amountText(difference), holds: true };
      }),
  ];
}

/** Lists the verdicts that an operator must check. */
export function verdictFindings(
  verdicts: readonly FileVerdict[],
  summary: FileSummary,
): FileFinding[] {
  return verdicts.flatMap((verdict) => {
    const { code, amount, direction } = verdict.source;
    const several = summary.documents.length > 1 ? `document ${verdict.document}: ` : "";
    const place = `${several}${verdict.source.place}`;
    switch (verdict.verdict) {
      case "unknown_outcome":
        return [{ kind: "unknown_outcome", what: verdict.why, payoutId: verdict.payoutId }];
      case "information":
        return verdict.waitsForUs && verdict.payoutId !== undefined
          ? [
              {
                kind: "waiting",
                what: shownCode(code) || "a code of the bank's own",
                payoutId: verdict.payoutId,
              },
            ]
          : [];
      case "change":
        return [changeFound(verdict.payoutId, verdict.change)];
      case "charge":
        return verdict.charge.minor > 0n
          ? []
          : [
              {
                kind: "unmatched",
                what: "charge-given-back",
                payoutId: verdict.payoutId,
                place,
                amount: amountText(verdict.charge),
              },
            ];
      case "unmatched":
        return unmatchedFound(verdict, place, amount && amountText(amount, direction));
      default:
        return [];
    }
  });
}

/** Hides a code that contains words, because banks may write names in the code field. */
export function shownCode(code: string): string {
  const read = codeOf(code);
  return /^[A-Z0-9]{1,8}$/.test(read) ? read : "";
}

/**
 * Returns a finding for each payment that the part may concern. If none is known, returns one
 * finding that holds all payments.
 */
function unmatchedFound(
  { why, payoutIds }: Extract<FileVerdict, { verdict: "unmatched" }>,
  place: string,
  amount: string | undefined,
): FileFinding[] {
  // A statement of another account gives one finding, not one for each entry.
  if (why === "another-account") {
    const statement = /statement \d+/.exec(place)?.[0] ?? "statement 1";
    return [{ kind: "unmatched", what: why, place: statement }];
  }
  const found = { kind: "unmatched", what: why, place, holds: true } as const;
  const base = amount === undefined ? found : { ...found, amount };
  return payoutIds === undefined ? [base] : payoutIds.map((payoutId) => ({ ...base, payoutId }));
}

/** A proposed change is never applied automatically. An operator decides. */
function changeFound(payoutId: string, { code, corrected, proposed }: AchChange): FileFinding {
  const fields = Object.keys(proposed ?? {}).toSorted();
  const what = fields.length === 0 ? code : `${code}: other ${fields.join(", ")}`;
  const details = JSON.stringify(proposed ?? { corrected });
  return { kind: "change", what, payoutId, details };
}

/** Outgoing amounts are below zero: `-12.50 USD`. */
function amountText(amount: Money, direction?: "credit" | "debit"): string {
  return `${direction === "debit" ? "-" : ""}${moneyText(amount)} ${amount.currency}`;
}
