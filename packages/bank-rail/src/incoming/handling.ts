import type { Reason } from "@disburse/bank-files/iso20022/reports/report.ts";
import type { Source } from "@disburse/bank-files/matching/verdict.ts";
import { assertAsChecked } from "@disburse/chassis/approvals/checked.ts";
import type { Guard } from "@disburse/chassis/approvals/guard.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  BankFindingResolution,
  type BankOutcome,
  BankPaymentOutcome,
  type HandleBankFindingRequest,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import { type Seals, sha256Of, storeContent } from "../contents.ts";
import type { BankStore, FindingDocument, PaymentDocument } from "../documents.ts";
import { failureOfReason } from "../iso20022/failures.ts";
import { failureOfReturn } from "../nacha/failures.ts";
import { applyVerdicts } from "./taking.ts";
import type { PaymentVerdict } from "./verdicts.ts";

export type HandlingDeps = {
  readonly bank: BankStore;
  /** Absent if no bank rail is configured. */
  readonly sealer?: Seals | undefined;
  readonly audit: RailContext["audit"];
  readonly clock: Clock;
};

/** An RPC message is limited to 4 MiB, so the operators' corrected file must be smaller. */
const contentMax = 3 * 2 ** 20;
const outcomesMax = 100;

/**
 * Handles a finding. Operators must choose what happens to its file. They have the file read again,
 * declare that it concerns no payment, or apply its outcomes to payments that they name. Applying
 * an outcome closes the finding only if the finding names a payment.
 */
export async function handleFinding(
  deps: HandlingDeps,
  request: HandleBankFindingRequest,
): Promise<FindingDocument> {
  const { bank, audit, clock } = deps;
  const by = readOperator(request.mutation);
  const note = orThrow(readReason(request.note, "note"));
  const finding = orThrow(
    (await bank.findings.findOne({ _id: request.findingId })) ?? refused("RECORD_NOT_FOUND"),
  );
  const { handled, applied_by = [] } = finding;
  if ([handled?.operation, ...applied_by].includes(by.operation)) return finding;
  assertAsChecked(describeFinding(finding));
  if (handled !== undefined)
    orThrow(invalid("finding_id: was handled by another operation already"));
  const how = resolutionOf(request);
  checkFit(finding, how, request);
  const payments = how === "outcomes" ? await namedPayments(bank, finding, request.outcomes) : [];
  const at = clock.now();
  const detail = `${how}; ${await hashesOf(bank, finding, request)}${note}`;
  await audit.append({
    action: "bank_finding.handled",
    subject: finding._id,
    detail,
    at,
    ...by,
  });
  const { _id } = finding;
  const ended =
    how === "read_again" ? await readAgain(deps, finding, request.content, by) : { _id };
  if (how === "outcomes") await applyOutcomes(deps, payments);
  if (how === "outcomes" && finding.payout_id === undefined) {
    // The finding may concern other payments too.
    await bank.findings.updateOne({ _id }, { $addToSet: { applied_by: by.operation } });
  } else {
    await bank.findings.updateMany(
      { ...ended, open: true },
      { $set: { handled: { ...by, note, at, how } }, $unset: { open: "" } },
    );
  }
  return orThrow(
    (await bank.findings.findOne({ _id: finding._id })) ?? refused("RECORD_NOT_FOUND"),
  );
}

/**
 * Requires two operators to close a finding with `holds`, to apply payment outcomes, or to correct
 * a file.
 */
export function findingGuard(bank: BankStore): Guard<HandleBankFindingRequest> {
  return {
    approvers: ["treasury_approver"],
    difference: async (request) => {
      const found = await bank.findings.findOne({ _id: request.findingId });
      const outcomes = request.outcomes.map((each) => ({
        payout: each.payoutId,
        outcome: enumName(BankPaymentOutcome, each.outcome),
        reason: each.reasonCode,
        returned: each.returnedAmount,
      }));
      const content = request.content.length > 0 && { content: sha256Of(request.content) };
      return {
        before: found === null ? "" : describeFinding(found),
        after: JSON.stringify({ resolution: resolutionOf(request), ...content, outcomes }),
      };
    },
    reasons: async (request) => {
      const found = await bank.findings.findOne({ _id: request.findingId });
      if (found?.open !== true) return [];
      const isOutcome = resolutionOf(request) === "outcomes";
      if (isOutcome) return ["the request decides the outcome of payments"];
      if (request.content.length > 0) return ["the request replaces the content of a bank's file"];
      const isHolding = await endsHold(bank, found, resolutionOf(request));
      return isHolding ? ["the request closes a file that may report outcomes of payments"] : [];
    },
  };
}

/** Describes a finding for an approver. */
function describeFinding(finding: FindingDocument): string {
  const { kind, what, file, place, payout_id: payout, amount, open } = finding;
  return JSON.stringify({ kind, what, file, place, payout, amount, open });
}

/**
 * Returns true if the request closes a finding with `holds`. Reading a file again closes all
 * findings about that file.
 */
async function endsHold(
  { findings }: BankStore,
  { holds = false, received }: FindingDocument,
  how: string,
): Promise<boolean> {
  if (holds || how !== "read_again" || received === undefined) return holds;
  const held = { received, open: true, holds: true };
  return (await findings.findOne(held, { projection: { _id: 1 } })) !== null;
}

const invalid = (detail: string) => refused("INVALID_REQUEST", detail);

function resolutionOf({ resolution }: HandleBankFindingRequest) {
  return enumName(BankFindingResolution, resolution) ?? "noted";
}

function checkFit(
  { holds = false, received, payout_id: payoutId }: FindingDocument,
  how: string,
  { content, outcomes }: HandleBankFindingRequest,
): void {
  if (how === "noted" && holds) {
    orThrow(invalid("resolution: must be READ_AGAIN, NOTHING_OF_OURS or OUTCOMES"));
  }
  if (how !== "read_again" && content.length > 0)
    orThrow(invalid("content: must be empty unless the resolution is READ_AGAIN"));
  if (content.length > contentMax) orThrow(invalid("content: must have at most 3 MiB"));
  if (how === "read_again" && received === undefined) {
    orThrow(
      invalid(
        "resolution: cannot be READ_AGAIN, because no file of the bank is stored for the finding",
      ),
    );
  }
  if (how === "nothing_of_ours" && payoutId !== undefined && !holds) {
    orThrow(invalid("resolution: cannot be NOTHING_OF_OURS, because the finding names a payment"));
  }
  const isCounted = outcomes.length >= 1 && outcomes.length <= outcomesMax;
  if (how === "outcomes" && !isCounted) orThrow(invalid("outcomes: must have 1 to 100 entries"));
  if (how !== "outcomes" && outcomes.length > 0)
    orThrow(invalid("outcomes: must be empty unless the resolution is OUTCOMES"));
  const isNamed = outcomes.some((each) => each.payoutId === payoutId);
  if (how === "outcomes" && payoutId !== undefined && !isNamed) {
    orThrow(invalid("outcomes: must name the finding's payment"));
  }
}

/** Returns the hashes of the bank's file and of its correction, for the audit trail. */
async function hashesOf(
  { received }: BankStore,
  finding: FindingDocument,
  { content }: HandleBankFindingRequest,
): Promise<string> {
  if (content.length === 0 || finding.received === undefined) return "";
  const file = await received.findOne({ _id: finding.received });
  return `original ${file?.sha256 ?? ""}, content ${sha256Of(content)}; `;
}

/**
 * Marks a file for a new reading, once for each operation. Returns the findings of earlier
 * readings, which close. The new reading reports the issues that still exist.
 */
async function readAgain(
  { bank, sealer }: HandlingDeps,
  { rail, received: _id }: FindingDocument,
  content: Uint8Array,
  { operation }: { readonly operation: string },
) {
  if (sealer === undefined || _id === undefined) throw new Error("no bank rail is configured");
  const corrected =
    content.length === 0
      ? undefined
      : await storeContent({ contents: bank.contents }, sealer, rail, content);
  await bank.received.updateOne(
    { _id, read_again_by: { $ne: operation } },
    {
      $set: {
        state: "stored",
        open: rail,
        attempts: 0,
        ...(corrected !== undefined && { corrected_sha256: corrected }),
      },
      $inc: { reads: 1 },
      $push: { read_again_by: operation },
    },
  );
  const file = await bank.received.findOne({ _id });
  const reading = (file?.read_again_by?.indexOf(operation) ?? -1) + 1;
  return { received: _id, reading: { $lt: reading } };
}

type Named = { readonly payment: PaymentDocument; readonly verdict: PaymentVerdict };

/** Returns the payments that the outcomes name, each with the verdict from its outcome. */
async function namedPayments(
  bank: BankStore,
  { rail, place = "" }: FindingDocument,
  outcomes: readonly BankOutcome[],
): Promise<Named[]> {
  const named: Named[] = [];
  const ids = new Set(outcomes.map(({ payoutId }) => payoutId));
  if (ids.size < outcomes.length) orThrow(invalid("outcomes: must not name a payment twice"));
  for (const [index, outcome] of outcomes.entries()) {
    const at = `outcomes[${index}]`;
    const payment = await bank.payments.findOne({ _id: outcome.payoutId, rail });
    if (payment === null || !(await isSent(bank, payment))) {
      return orThrow(invalid(`${at}.payout_id: must be in a file that this rail sent`));
    }
    const verdict = verdictOf(payment, outcome, place, at);
    const isKnown = payment.state === endOf[verdict.verdict] && isSameReturn(payment, verdict);
    if (!isKnown && !isPossible(payment, verdict)) {
      orThrow(invalid(`${at}.outcome: contradicts the payment's state, ${payment.state}`));
    }
    if (!isKnown) named.push({ payment, verdict });
  }
  return named;
}

/** Returns true if the payment is in a file that the bank has and that is never sent again. */
async function isSent({ files }: BankStore, { _id, file = "" }: PaymentDocument): Promise<boolean> {
  const filter = { _id: file, state: "sent", "members.id": _id } as const;
  return (await files.findOne(filter, { projection: { _id: 1 } })) !== null;
}

const endOf: Readonly<Partial<Record<PaymentVerdict["verdict"], PaymentDocument["state"]>>> = {
  settled: "settled",
  rejected: "rejected",
  returned: "returned",
};

/** Returns true if the payment's return has the same amount, or if the outcome is not a return. */
function isSameReturn({ returned }: PaymentDocument, verdict: PaymentVerdict): boolean {
  if (verdict.verdict !== "returned" || returned === undefined) return true;
  return fromDecimal128(returned.amount_minor) === verdict.amount.minor;
}

/** A settled payment can still be returned, but it can't be declared unpaid. */
function isPossible({ state }: PaymentDocument, { verdict }: PaymentVerdict): boolean {
  return state === "filed" || (state === "settled" && verdict === "returned");
}

function verdictOf(
  { _id: payoutId, amount_minor, currency }: PaymentDocument,
  { outcome, reasonCode, returnedAmount }: BankOutcome,
  place: string,
  at: string,
): PaymentVerdict {
  const source: Source = { place, reference: "", code: reasonCode };
  const reason = reasonCode === "" ? {} : { code: reasonCode };
  if (returnedAmount !== "" && outcome !== BankPaymentOutcome.RETURNED) {
    orThrow(invalid(`${at}.returned_amount: must be empty unless the outcome is RETURNED`));
  }
  switch (outcome) {
    case BankPaymentOutcome.SETTLED:
      return { source, verdict: "settled", payoutId };
    case BankPaymentOutcome.NOT_EXECUTED:
      return { source, verdict: "rejected", payoutId, reason };
    case BankPaymentOutcome.RETURNED: {
      const whole = fromDecimal128(amount_minor);
      const minor =
        returnedAmount === "" ? whole : parseAmount(returnedAmount, currencyOf(currency).code);
      if (isRefused(minor) || minor > whole) {
        return orThrow(invalid(`${at}.returned_amount: must be at most the amount of the payment`));
      }
      const short = { minor: whole - minor, currency };
      return {
        source,
        verdict: "returned",
        payoutId,
        amount: { minor, currency },
        reason,
        ...(short.minor > 0n && { short }),
      };
    }
    default:
      return orThrow(invalid(`${at}.outcome: is required`));
  }
}

async function applyOutcomes(
  { bank, clock }: HandlingDeps,
  named: readonly Named[],
): Promise<void> {
  const payments = new Map(named.map(({ payment }) => [payment._id, payment]));
  const verdicts = new Map(named.map(({ payment, verdict }) => [payment._id, [verdict]]));
  const work = { store: bank, clock, failureOf };
  if (await applyVerdicts(work, payments, verdicts)) return;
  orThrow(
    refused(
      "SERVICE_UNAVAILABLE",
      "another process changed one of the payments: repeat the request",
    ),
  );
}

/** Return codes of NACHA are not codes of ISO 20022. */
function failureOf(reason: Reason): Failure {
  return /^R\d\d$/.test(reason.code ?? "") ? failureOfReturn(reason) : failureOfReason(reason);
}
