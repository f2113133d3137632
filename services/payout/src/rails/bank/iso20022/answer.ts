import type { Entry } from "@disburse/bank-files/iso20022/reports/entry.ts";
import {
  readStatements,
  type Statement,
  type StatementFile,
} from "@disburse/bank-files/iso20022/reports/statement.ts";
import {
  readStatusReport,
  type StatusReport,
} from "@disburse/bank-files/iso20022/reports/status-report.ts";
import {
  type AccountProfile,
  entryVerdicts,
} from "@disburse/bank-files/matching/entry-verdicts.ts";
import {
  type SentPayment,
  SentPayments,
  type SentState,
} from "@disburse/bank-files/matching/sent-payment.ts";
import { statusVerdicts } from "@disburse/bank-files/matching/status-verdicts.ts";
import type { Verdict } from "@disburse/bank-files/matching/verdict.ts";
import { endToEndIdOf, payoutIdOf } from "@disburse/bank-files/references.ts";
import { moneyText } from "@disburse/bank-files/text/minor-units.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import type { PaymentDocument } from "../documents.ts";
import type { Answer, Found, Meaning, Wanted } from "../format.ts";
import { afterVerdicts, bankVerdict } from "../verdicts.ts";
import { dayBalances, isOf } from "./balances.ts";
import { failureOfReason } from "./failures.ts";

/** What a rail knows of its account and its bank's habits. */
export type AnswerProfile = AccountProfile & { readonly statusSettles: boolean };

/** Reads a file of the bank, by what it is and not by what it is called. */
export function readAnswer(
  bytes: Uint8Array,
  profile: AnswerProfile,
): Answer | Refused<"UNREADABLE"> {
  const report = isStatusReport(bytes) ? readStatusReport(bytes) : readStatements(bytes);
  if (isRefused(report)) return report;
  return "statements" in report
    ? statementAnswer(report, profile)
    : statusAnswer(report, profile.statusSettles);
}

/** Its root element's child comes within the first lines. */
function isStatusReport(bytes: Uint8Array): boolean {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 4_096)).replaceAll("\0", "");
  return start.includes("CstmrPmtStsRpt");
}

const none: Wanted = {
  ...{ payoutIds: [], uetrs: [], bankReferences: [], files: [], blocks: [], traces: [] },
};

/** References as we wrote them: banks make capitals of them, and leave blanks around them. */
const capitals = (text: string) => text.trim().toUpperCase();

type Named = {
  readonly endToEndId?: string | undefined;
  readonly uetr?: string | undefined;
  readonly bankReference?: string | undefined;
};

function wantedBy(named: readonly Named[], files: readonly string[], blocks: readonly string[]) {
  return {
    ...none,
    payoutIds: named.flatMap(({ endToEndId }) => payoutIdOf(endToEndId ?? "") ?? []),
    uetrs: named.flatMap(({ uetr }) => uetr?.trim().toLowerCase() ?? []),
    bankReferences: named.flatMap(({ bankReference }) => bankReference ?? []),
    files: files.map(capitals),
    blocks: blocks.map(capitals),
  };
}

function statusAnswer(report: StatusReport, statusSettles: boolean): Answer {
  const { original, batches, unread } = report;
  const files = original.messageId === undefined ? [] : [original.messageId];
  const blocks = batches.flatMap(({ paymentInformationId }) => paymentInformationId ?? []);
  const named = batches.flatMap(({ payments }) => payments);
  return {
    ...{ kind: "status", unread, wanted: wantedBy(named, files, blocks), balances: [], found: [] },
    meaningFor: (payments) => {
      const sent = new SentPayments(payments.map(sentPayment));
      return meaningOf(statusVerdicts(report, sent, statusSettles), () => undefined);
    },
  };
}

function statementAnswer(file: StatementFile, profile: AnswerProfile): Answer {
  const ours = file.statements.filter((each) => isOf(each, profile.accounts));
  const booked = ours.flatMap(({ entries }) => entries.filter(({ status }) => status === "booked"));
  const details = booked.flatMap(({ transactions }) => transactions);
  const named = [...details, ...booked.map(({ bankReference }) => ({ bankReference }))];
  const blocks = booked
    .flatMap((entry) => [...entry.batches, ...entry.transactions])
    .flatMap(({ paymentInformationId }) => paymentInformationId ?? []);
  return {
    ...{ kind: file.kind, unread: file.unread, wanted: wantedBy(named, [], blocks) },
    ...dayBalances(file, profile.accounts),
    meaningFor: (payments) => entriesMeaning(ours, payments, profile),
  };
}

/** Statement by statement: what one says is known when the next is read. */
function entriesMeaning(
  statements: readonly Statement[],
  payments: readonly PaymentDocument[],
  profile: AnswerProfile,
): Meaning {
  let known = payments;
  const all: Meaning[] = [];
  for (const [at, statement] of statements.entries()) {
    const entries = new Map(statement.entries.map((each) => [each.number, each]));
    const prefix = statements.length === 1 ? "" : `statement ${at + 1}/`;
    const sent = new SentPayments(known.map(sentPayment));
    const meaning = meaningOf(entryVerdicts(statement, sent, profile), (place) => {
      const entry = entries.get(Number(/^Ntry\[(\d+)\]/.exec(place)?.[1]));
      return { place: `${prefix}${place}`, ...(entry && { amount: amountOf(entry) }) };
    });
    if (at + 1 < statements.length) known = afterVerdicts(known, meaning.verdicts);
    all.push(meaning);
  }
  return {
    verdicts: all.flatMap(({ verdicts }) => verdicts),
    found: all.flatMap(({ found }) => found),
  };
}

/** `-12.50 USD`: what went out is below zero. */
function amountOf({ amount, direction }: Entry): string {
  return `${direction === "debit" ? "-" : ""}${moneyText(amount)} ${amount.currency}`;
}

function meaningOf(
  verdicts: readonly Verdict[],
  at: (place: string) => { readonly place: string; readonly amount?: string } | undefined,
): Meaning {
  const found = verdicts.flatMap((each): Found[] => {
    if (each.verdict === "doubt") {
      return [{ kind: "doubt", what: each.doubt, payoutId: each.payoutId }];
    }
    if (each.verdict !== "unmatched") return [];
    return [{ kind: "unmatched", what: each.unmatched, place: each.place, ...at(each.place) }];
  });
  const own = verdicts.flatMap((each) =>
    each.verdict === "unmatched" ? [] : [bankVerdict(each, failureOfReason)],
  );
  return { verdicts: own, found };
}

const states: Readonly<Record<PaymentDocument["state"], SentState>> = {
  ...{ waiting: "sent", filed: "sent", settled: "debited" },
  ...{ rejected: "rejected", withdrawn: "rejected", returned: "returned" },
};

/** A payment as matching takes it. */
function sentPayment(payment: PaymentDocument): SentPayment {
  const { _id: payoutId, uetr, file = "", block = "", account, state, currency } = payment;
  const { bank_reference, debited_as, debit_reference, returned } = payment;
  return {
    ...{ payoutId, endToEndId: endToEndIdOf(payoutId), uetr, account, state: states[state] },
    ...{ messageId: file, paymentInformationId: block },
    amount: { minor: fromDecimal128(payment.amount_minor), currency },
    ...(bank_reference !== undefined && { bankReference: bank_reference }),
    ...(debited_as !== undefined && { debitedAs: debited_as }),
    ...(debit_reference !== undefined && { debitReference: debit_reference }),
    ...(returned?.reference !== undefined && { returnReference: returned.reference }),
  };
}
