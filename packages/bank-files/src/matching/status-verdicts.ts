import { present, type Reason } from "../iso20022/reports/report.ts";
import type {
  BatchStatus,
  PaymentStatus,
  PaymentStatusCode,
  ReportedStatus,
  StatusReport,
} from "../iso20022/reports/status-report.ts";
import type { SentPayment, SentPayments } from "./sent-payment.ts";
import type { Doubt, Unmatched, Verdict } from "./verdict.ts";

/** Reasons of a bank that has, or believes it has, the payment already (ISO 20022, external). */
const duplicateCodes: ReadonlySet<string> = new Set([
  ...["AM05", "DU01", "DU02", "DU03", "DU04", "DU05"],
]);

const settled: ReadonlySet<PaymentStatusCode> = new Set(["ACSC", "ACCC"]);

/** What a report says of one payment: itself, its block, its file; each may stand several times. */
type Said = {
  readonly payment: SentPayment;
  readonly own: PaymentStatus[];
  readonly batches: BatchStatus[];
  readonly groups: ReportedStatus[];
};

/**
 * What a status report means for each payment that it speaks of. The lowest level with a status
 * decides; a level above it, or a second word on the same one, that contradicts makes a doubt.
 * `statusSettles`: whether the bank's ACSC and ACCC are final by its handbook; else a booking alone
 * settles.
 */
export function statusVerdicts(
  report: StatusReport,
  sent: SentPayments,
  statusSettles: boolean,
): Verdict[] {
  const unmatched: Verdict[] = [];
  const all = new Map<string, Said>();
  const saidOf = (payment: SentPayment): Said => {
    const said = all.get(payment.payoutId) ?? { payment, own: [], batches: [], groups: [] };
    all.set(payment.payoutId, said);
    return said;
  };
  const file = sent.ofFile(report.original.messageId);
  for (const [index, batch] of report.batches.entries()) {
    const place = `OrgnlPmtInfAndSts[${index + 1}]`;
    const speaks = batch.status !== undefined || batch.reasons.length > 0;
    const members = sent.ofBatch(batch.paymentInformationId);
    if (speaks && members.length === 0) unmatched.push(notFound("unknown-batch", place));
    if (members.some((member) => isElsewhere(member, file))) {
      unmatched.push(notFound("contradicting-references", place));
      continue;
    }
    for (const member of members) saidOf(member).batches.push(batch);
    for (const [number, status] of batch.payments.entries()) {
      const found = sent.find(status);
      const at = `${place}/TxInfAndSts[${number + 1}]`;
      if (typeof found === "string") unmatched.push(notFound(found, at));
      else if (isElsewhere(found, members) || isElsewhere(found, file)) {
        unmatched.push(notFound("contradicting-references", at));
      } else {
        const said = saidOf(found);
        said.own.push(status);
        if (!said.batches.includes(batch)) said.batches.push(batch);
      }
    }
  }
  const { status, reasons } = report.group;
  if (file.length === 0 && (status !== undefined || reasons.length > 0)) {
    unmatched.push(notFound("unknown-file", "OrgnlGrpInfAndSts"));
  }
  for (const member of file) saidOf(member);
  for (const said of all.values()) said.groups.push(report.group);
  return [...unmatched, ...[...all.values()].flatMap((said) => judged(said, statusSettles))];
}

/** Whether a block or file of ours is named that the payment is not in; other ids are a bank's. */
function isElsewhere(payment: SentPayment, members: readonly SentPayment[]): boolean {
  return members.length > 0 && !members.includes(payment);
}

function notFound(unmatched: Unmatched, place: string): Verdict {
  return { verdict: "unmatched", unmatched, place };
}

function judged(said: Said, statusSettles: boolean): Verdict[] {
  const { payment, own, batches, groups } = said;
  const levels = [...own, ...batches, ...groups];
  const statuses = [own, batches, groups]
    .map((level) => level.flatMap((each) => each.status ?? []))
    .find((level) => level.length > 0);
  const status = statuses?.at(-1);
  if (statuses === undefined || status === undefined) return [];
  // Of a block or file that is accepted in part nothing follows for a payment.
  if (status === "PART" && own.every((each) => each.status === undefined)) return [];
  const differs = own.some(({ amount }) => {
    if (amount === undefined) return false;
    return amount.minor !== payment.amount.minor || amount.currency !== payment.amount.currency;
  });
  if (differs) return [doubt(payment, "amount-differs")];
  const isRejected = levels.some((level) => level.status === "RJCT");
  const isSettled = levels.some((level) => level.status !== undefined && settled.has(level.status));
  if (isRejected && (isSettled || statuses.some((each) => each !== "RJCT"))) {
    return [doubt(payment, "contradicting-levels")];
  }
  if (isRejected) return [rejected(payment, levels)];
  const bankReference = own.findLast((each) => each.bankReference !== undefined)?.bankReference;
  return [unrejected(payment, status, statusSettles, bankReference)];
}

function unrejected(
  payment: SentPayment,
  status: PaymentStatusCode,
  statusSettles: boolean,
  bankReference: string | undefined,
): Verdict {
  const { payoutId, state } = payment;
  if (status === "CANC") return doubt(payment, "cancelled");
  if (status === "BLCK") return doubt(payment, "blocked");
  if (status === "PART") return doubt(payment, "contradicting-levels");
  if (state === "debited" || state === "returned") return { verdict: "known", payoutId };
  if (state === "rejected") {
    // What was on its way before it was rejected comes late at times; settled it cannot be.
    return settled.has(status)
      ? doubt(payment, "settled-after-rejection")
      : { verdict: "known", payoutId };
  }
  const learned = bankReference === undefined ? {} : { bankReference };
  return settled.has(status) && statusSettles
    ? { verdict: "settled", payoutId, ...learned }
    : { verdict: "accepted", payoutId, status, ...learned };
}

function rejected(payment: SentPayment, levels: readonly ReportedStatus[]): Verdict {
  const reasons = levels.flatMap((level) => level.reasons);
  if (reasons.some(isOfDuplicate)) return doubt(payment, "rejected-as-duplicate");
  if (payment.state === "debited") return doubt(payment, "rejected-after-debit");
  if (payment.state !== "sent") return { verdict: "known", payoutId: payment.payoutId };
  const [reason] = reasons;
  return { verdict: "rejected", payoutId: payment.payoutId, reason: present<Reason>(reason ?? {}) };
}

/** Some banks say it by code, some by a code of their own, some in words. */
function isOfDuplicate({ code = "", proprietary = "", text = "" }: Reason): boolean {
  const isCode = [code, proprietary].some((each) => duplicateCodes.has(each.trim().toUpperCase()));
  return isCode || /duplicat|double|already (?:sent|received|processed)/i.test(proprietary + text);
}

function doubt({ payoutId }: SentPayment, why: Doubt): Verdict {
  return { verdict: "doubt", payoutId, doubt: why };
}
