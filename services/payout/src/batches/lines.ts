import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { BatchTerms } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { batchLine, batchLinesMax } from "@disburse/forms/bodies/transfer.ts";
import { checkBody } from "@disburse/forms/checks/body.ts";
import { textOf } from "@disburse/forms/fields/field.ts";
import type { Metadata } from "@disburse/kernel/metadata.ts";
import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { readAccount } from "@disburse/ledger/accounts.ts";
import { isReserved } from "../execution/rules/payable.ts";
import type { OrderDeps } from "../orders/execute-order.ts";
import { type OrderTerms, orderTerms, type SentTerms } from "../orders/rules/order.ts";
import { namedViolations, ofLine } from "./rules/batch.ts";

export type LineDeps = Pick<OrderDeps, "ledger" | "beneficiary" | "clock"> & {
  readonly watchPrimary: Database["watchPrimary"];
  readonly mode: "live" | "sandbox";
};

/** The maximum number of beneficiaries in one call to the beneficiary service. */
const resolvedMax = 1_000;
/**
 * The number of lines that are checked before other work gets the event loop. Other calls then wait
 * a few ms at most.
 */
const turnMax = 100;

/** Returns the terms of all lines, or the violations. Accounts and beneficiaries must exist. */
export async function checkedLines(
  deps: LineDeps,
  merchantId: string,
  lines: readonly BatchTerms[],
  unreadable: readonly Violation[],
): Promise<OrderTerms[] | Refused<"INVALID_REQUEST">> {
  if (unreadable.length > 0) return invalidRequest(namedViolations(unreadable));
  if (lines.length < 1 || lines.length > batchLinesMax) {
    const problem = lines.length < 1 ? "is required" : `must have at most ${batchLinesMax} entries`;
    return invalidRequest([{ field: "lines", problem }]);
  }
  const sent = await inTurns(lines, (line) => checkedLine(deps, line));
  const malformed = sent.flatMap((each, at) =>
    Array.isArray(each) ? each.map((one) => ofLine(at, one)) : [],
  );
  if (malformed.length > 0) return invalidRequest(namedViolations(malformed));
  const sound = sent as SentTerms[];
  const parties = await partiesOf(deps, merchantId, sound);
  const terms = await inTurns(sound, (line) => fitting(line, parties));
  const unfit = terms.flatMap((each, at) =>
    Array.isArray(each) ? each.map((one) => ofLine(at, one)) : [],
  );
  return unfit.length > 0 ? invalidRequest(namedViolations(unfit)) : (terms as OrderTerms[]);
}

async function inTurns<T, R>(all: readonly T[], work: (each: T) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [at, each] of all.entries()) {
    if (at > 0 && at % turnMax === 0) await yieldToOthers();
    results.push(work(each));
  }
  return results;
}

/** Returns a line's trimmed texts, or its malformed fields. */
function checkedLine({ clock, mode }: LineDeps, line: BatchTerms): SentTerms | Violation[] {
  const values = {
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
  const checked = checkBody(batchLine, values, { now: clock.now() });
  if (Array.isArray(checked)) return checked;
  const text = (field: keyof typeof values) => textOf(checked.values, field);
  const referenceId = text("reference_id");
  if (isReserved(mode, referenceId)) {
    return [{ field: "reference_id", problem: "is reserved for the sandbox" }];
  }
  return {
    accountId: text("account_id"),
    beneficiaryId: text("beneficiary_id"),
    sourceCurrencyCode: text("source_currency_code"),
    destinationCurrencyCode: text("destination_currency_code"),
    sourceAmount: text("source_amount"),
    receivingAmount: text("receiving_amount"),
    maxSourceAmount: text("max_source_amount"),
    referenceId,
    remittanceInformation: text("remittance_information"),
    purposeCode: text("purpose_code"),
    allowDuplicate: checked.values.allow_duplicate === true,
    metadata: (checked.values.metadata as Metadata | undefined) ?? {},
  };
}

type Parties = {
  readonly accountId: string;
  /** `undefined` if the merchant has no such account. */
  readonly account: string | undefined;
  readonly beneficiaries: ReadonlyMap<string, string>;
};

/** Reads the currencies of the first line's account and of all beneficiaries. */
async function partiesOf(
  { ledger, beneficiary, watchPrimary }: LineDeps,
  merchantId: string,
  lines: readonly SentTerms[],
): Promise<Parties> {
  const accountId = lines[0]?.accountId ?? "";
  const prove = watchPrimary();
  const account = await readAccount(ledger, merchantId, accountId);
  // A missing account is a final refusal, so its absence needs proof.
  if (account === undefined) await prove();
  const ids = [...new Set(lines.map(({ beneficiaryId }) => beneficiaryId))];
  const beneficiaries = new Map<string, string>();
  for (let at = 0; at < ids.length; at += resolvedMax) {
    const beneficiaryIds = ids.slice(at, at + resolvedMax);
    const found = await beneficiary.listBeneficiaryCurrencies({ merchantId, beneficiaryIds });
    for (const each of found.currencies) {
      beneficiaries.set(each.beneficiaryId, each.destinationCurrency);
    }
  }
  return { accountId, account: account?.currency, beneficiaries };
}

/** Returns a line's terms, or the fields that don't match its account and beneficiary. */
function fitting(line: SentTerms, parties: Parties): OrderTerms | Violation[] {
  const { accountId, account } = parties;
  const beneficiary = parties.beneficiaries.get(line.beneficiaryId);
  const problems: Violation[] = [];
  if (line.accountId !== accountId) {
    problems.push({ field: "account_id", problem: "must be the same in all lines" });
  } else if (account === undefined) {
    problems.push({ field: "account_id", problem: "must be one of your accounts" });
  }
  if (beneficiary === undefined) {
    problems.push({ field: "beneficiary_id", problem: "must be one of your beneficiaries" });
  }
  return problems.length > 0 ? problems : orderTerms(line, { account, beneficiary });
}
