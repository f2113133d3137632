import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { BatchTerms } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { batchLine, batchLinesMax } from "@disburse/forms/bodies/transfer.ts";
import { checkBody } from "@disburse/forms/checks/body.ts";
import { type BodyValues, textOf } from "@disburse/forms/fields/field.ts";
import type { Metadata } from "@disburse/kernel/metadata.ts";
import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import { ruleOf } from "@disburse/kernel/violations.ts";
import { readAccount } from "@disburse/ledger/accounts.ts";
import { isReserved } from "../execution/rules/payable.ts";
import type { OrderDeps } from "../orders/execute-order.ts";
import { type OrderTerms, orderTerms, type SentTerms } from "../orders/rules/order.ts";
import { lineViolations, namedViolations, type ViolatedLine } from "./rules/violations.ts";

export type LineDeps = Pick<OrderDeps, "ledger" | "beneficiary" | "clock"> & {
  readonly watchPrimary: Database["watchPrimary"];
  readonly mode: "live" | "sandbox";
};

/** The lines of a batch as a merchant sent them. */
export type SentLines = {
  readonly lines: readonly BatchTerms[];
  /** Problems that the gateway found while it read the body. */
  readonly unreadable: readonly Violation[];
};

/** A checked line. `terms` is absent if the line has a problem. */
export type CheckedLine = ViolatedLine & {
  readonly sent: SentTerms;
  readonly terms?: OrderTerms;
};

/** The checked lines, and the problems of the whole body. */
export type CheckedLines = {
  readonly lines: readonly CheckedLine[];
  readonly ofBody: readonly Violation[];
};

/** The maximum number of beneficiaries in one call to the beneficiary service. */
export const resolvedMax = 1_000;
/**
 * The number of lines that are checked before other work gets the event loop. Other calls then wait
 * a few ms at most.
 */
const turnMax = 100;

/** Checks all lines. Accounts and beneficiaries must exist. Finds all problems of all lines. */
export async function checkedLines(
  deps: LineDeps,
  merchantId: string,
  { lines, unreadable }: SentLines,
): Promise<CheckedLines> {
  const { ofBody, ofLines } = byLine(unreadable);
  if (lines.length > batchLinesMax) {
    return { lines: [], ofBody: [{ field: "lines", problem: tooManyLines }] };
  }
  // A body whose lines could not be read has another problem.
  if (lines.length < 1) {
    const none = { field: "lines", problem: "is required" };
    return { lines: [], ofBody: ofBody.length === 0 ? [none] : ofBody };
  }
  const sent = await inTurns(lines, (line, at) => checkedLine(deps, line, ofLines.get(at) ?? []));
  const parties = await partiesOf(deps, merchantId, sent);
  return { lines: await inTurns(sent, (line) => fitting(line, parties)), ofBody };
}

const tooManyLines = `must have at most ${batchLinesMax} entries`;

/** Returns a refusal that names every problem once, or `undefined` if there is none. */
export function refusalOf(
  { lines, ofBody }: CheckedLines,
  rows: readonly number[],
): Refused<"INVALID_REQUEST"> | undefined {
  const all = [...ofBody, ...lineViolations(lines, rows)];
  return all.length === 0 ? undefined : invalidRequest(namedViolations(all));
}

/** Separates the problems of lines from those of the body. */
function byLine(unreadable: readonly Violation[]) {
  const ofBody: Violation[] = [];
  const ofLines = new Map<number, Violation[]>();
  for (const violation of unreadable) {
    const [, at, field = ""] = /^lines\[(\d+)\]\.?(.*)$/.exec(violation.field) ?? [];
    if (at === undefined) {
      ofBody.push(violation);
      continue;
    }
    const problem = { field, problem: violation.problem };
    ofLines.set(Number(at), [...(ofLines.get(Number(at)) ?? []), problem]);
  }
  return { ofBody, ofLines };
}

export async function inTurns<T, R>(
  all: readonly T[],
  work: (each: T, at: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [at, each] of all.entries()) {
    if (at > 0 && at % turnMax === 0) await yieldToOthers();
    results.push(work(each, at));
  }
  return results;
}

/** Checks the fields of a line. The values of malformed fields stay as they were sent. */
function checkedLine(
  { clock, mode }: LineDeps,
  line: BatchTerms,
  unreadable: readonly Violation[],
): CheckedLine {
  const values = valuesOf(line);
  const checked = checkBody(batchLine, values, { now: clock.now(), unreadable });
  const isSound = !Array.isArray(checked);
  const sent = sentTerms(isSound ? checked.values : values);
  const ofLine = unreadable.filter(({ field }) => field === "");
  // A row that could not be read lacks fields only for that reason.
  const isMissing = ({ problem }: Violation) => ofLine.length > 0 && ruleOf(problem) === "required";
  const problems = [...ofLine, ...(isSound ? [] : checked.filter((each) => !isMissing(each)))];
  if (isReserved(mode, sent.referenceId)) {
    problems.push({ field: "reference_id", problem: "is reserved for the sandbox" });
  }
  return { sent, values, referenceId: sent.referenceId, problems };
}

function valuesOf(line: BatchTerms): BodyValues {
  return {
    account_id: line.accountId,
    beneficiary_id: line.beneficiaryId,
    source_currency_code: line.sourceCurrencyCode,
    destination_currency_code: line.destinationCurrencyCode,
    source_amount: line.sourceAmount,
    receiving_amount: line.receivingAmount,
    max_source_amount: line.maxSourceAmount,
    reference_id: line.referenceId,
    remittance_information: line.remittanceInformation,
    purpose_code: line.purposeCode,
    allow_duplicate: line.allowDuplicate,
    metadata: line.metadata,
  };
}

function sentTerms(values: BodyValues): SentTerms {
  const text = (field: string) => cleanText(textOf(values, field));
  return {
    accountId: text("account_id"),
    beneficiaryId: text("beneficiary_id"),
    sourceCurrencyCode: text("source_currency_code"),
    destinationCurrencyCode: text("destination_currency_code"),
    sourceAmount: text("source_amount"),
    receivingAmount: text("receiving_amount"),
    maxSourceAmount: text("max_source_amount"),
    referenceId: text("reference_id"),
    remittanceInformation: text("remittance_information"),
    purposeCode: text("purpose_code"),
    allowDuplicate: values.allow_duplicate === true,
    metadata: (values.metadata as Metadata | undefined) ?? {},
  };
}

type Parties = {
  /** The account of most lines, so that one wrong account is one error. */
  readonly accountId: string;
  /** Its currency; `undefined` if the merchant has no such account. */
  readonly account: string | undefined;
  readonly isClosed: boolean;
  readonly beneficiaries: ReadonlyMap<string, string>;
};

/** Reads the currencies of the batch's account and of all beneficiaries. */
async function partiesOf(
  { ledger, beneficiary, watchPrimary }: LineDeps,
  merchantId: string,
  lines: readonly CheckedLine[],
): Promise<Parties> {
  const accountId = mostCommon(lines.flatMap((line) => valid(line, "account_id", "accountId")));
  const prove = watchPrimary();
  const account =
    accountId === undefined ? undefined : await readAccount(ledger, merchantId, accountId);
  // A missing account is a final refusal, so its absence needs proof.
  if (account === undefined) await prove();
  const named = lines.flatMap((line) => valid(line, "beneficiary_id", "beneficiaryId"));
  const ids = [...new Set(named)];
  const beneficiaries = new Map<string, string>();
  for (let at = 0; at < ids.length; at += resolvedMax) {
    const beneficiaryIds = ids.slice(at, at + resolvedMax);
    const found = await beneficiary.listBeneficiaryCurrencies({ merchantId, beneficiaryIds });
    for (const each of found.currencies) {
      beneficiaries.set(each.beneficiaryId, each.destinationCurrency);
    }
  }
  const isClosed = account?.closedAt !== undefined;
  return { accountId: accountId ?? "", account: account?.currency, isClosed, beneficiaries };
}

/** Returns a line's id of a party, or nothing if the field has a problem. */
function valid({ problems, sent }: CheckedLine, field: string, of: "accountId" | "beneficiaryId") {
  const isWrong = sent[of] === "" || problems.some((each) => each.field === field);
  return isWrong ? [] : [sent[of]];
}

/** Returns the most common text, or the first of several. */
function mostCommon(texts: readonly string[]): string | undefined {
  const counts = [...Map.groupBy(texts, (text) => text)];
  const [first] = counts.toSorted(([, a], [, b]) => b.length - a.length);
  return first?.[0];
}

/** Adds a line's terms, or the fields that don't match its account and beneficiary. */
function fitting(line: CheckedLine, parties: Parties): CheckedLine {
  const { accountId, account, isClosed, beneficiaries } = parties;
  const { sent } = line;
  // The row could not be read, so that its parties are not known.
  const isUnread = line.problems.some(({ field }) => field === "");
  if (isUnread && sent.accountId === "" && sent.beneficiaryId === "") return line;
  const beneficiary = beneficiaries.get(sent.beneficiaryId);
  const isOther = sent.accountId !== accountId;
  const found: Violation[] = [];
  if (isOther) {
    found.push({ field: "account_id", problem: "must be the same in all lines" });
  } else if (account === undefined) {
    found.push({ field: "account_id", problem: "must be one of your accounts" });
  } else if (isClosed) {
    found.push({ field: "account_id", problem: "must be open: the account is closed" });
  }
  if (beneficiary === undefined) {
    found.push({ field: "beneficiary_id", problem: "must be one of your beneficiaries" });
  }
  const terms = orderTerms(sent, { account: isOther ? undefined : account, beneficiary });
  if (Array.isArray(terms)) found.push(...terms);
  const problems = [...line.problems, ...found.filter((each) => isNew(each, line))];
  return problems.length > 0 || Array.isArray(terms)
    ? { ...line, problems }
    : { ...line, problems, terms };
}

/** Returns true unless the field already has a problem, or only lacks an amount. */
function isNew({ field }: Violation, { problems, sent }: CheckedLine): boolean {
  const isWithoutAmount = sent.sourceAmount === "" && sent.receivingAmount === "";
  if (field === "receiving_amount" && isWithoutAmount) return false;
  return !problems.some((each) => each.field === field);
}
