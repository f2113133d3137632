import { checkDocuments } from "@disburse/invariants/documents-check.ts";
import type { Platform } from "../platform.ts";
import type { Scenario } from "../rail/state.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";
import type { Workload, WorkloadRecord } from "../workload/workload.ts";
import { wrongApprovals } from "./approval-check.ts";
import { documentsOf } from "./checked-documents.ts";
import { wrongOptInEvents } from "./opt-in-check.ts";
import { wrongOrders } from "./order-check.ts";
import { payoutsIn } from "./payouts.ts";
import { wrongRailMoney } from "./rail-money-check.ts";
import { wrongRepeats } from "./repeat-check.ts";

/** Everything that is wrong at the end of a run, in words. */
export function finalProblems(
  platform: Platform,
  workload: Workload,
  scheduler: Scheduler,
): string[] {
  const { observer, broker, callbacks, operators, treasury, approvers } = platform;
  const { record } = workload;
  const findings = checkDocuments(documentsOf(platform), { now: scheduler.now() });
  return [
    ...observer.broken.map((each) => `at a moment: ${each}`),
    ...findings.map(({ invariant, subject, detail }) => `${invariant}: ${subject} ${detail}`),
    ...callbacks.wrong,
    ...operators.wrong,
    ...treasury.wrong,
    ...approvers.wrong,
    ...record.wrong,
    ...workload.scheduled.wrong,
    ...workload.batches.wrong,
    ...broker.deadLetters.map(({ id }) => `event ${id} was not readable`),
    ...wrongAnswers(platform, record),
    ...wrongCredits(platform, workload),
    ...wrongReversals(platform, workload),
    ...wrongTransfers(platform),
    ...wrongRailMoney(platform),
    ...wrongCancellations(platform, record),
    ...wrongCounts(platform),
    ...wrongTrail(platform),
    ...missedEvents(platform),
    ...wrongApprovals(platform, workload),
    ...wrongOrders(platform, workload),
    ...wrongOptInEvents(platform),
    ...wrongRepeats(platform, workload),
  ];
}

/** What callers were answered: one payout an operation once it succeeded, and nothing for free. */
function wrongAnswers({ databases }: Platform, { answered }: WorkloadRecord): string[] {
  const payouts = new Map(payoutsIn(databases.payout).map((each) => [each._id, each]));
  return answered.flatMap(({ operationId, quoteId, answers, isRefusedBeneficiary }) => {
    const made = answers.filter((each) => each.startsWith("po_"));
    const say = (isWrong: boolean, what: string) =>
      isWrong ? [`${operationId} of ${quoteId}: ${what} (${answers.join(", ")})`] : [];
    const own = made.map((id) => payouts.get(id));
    return [
      ...say(new Set(made).size > 1, "got two payouts"),
      ...say(own.includes(undefined), "got a payout that does not exist"),
      ...say(
        own.some((each) => each?.operation_id !== operationId || each.quote_id !== quoteId),
        "got another operation's payout",
      ),
      ...say(isRefusedBeneficiary && made.length > 0, "paid a beneficiary that was stopped"),
    ];
  });
}

/** A credit under one key is one entry, for each caller. */
function wrongCredits({ databases }: Platform, { credits }: Workload): string[] {
  const entries = new Set(databases.payout.documents("ledger_entries").map(({ _id }) => _id));
  return [...credits.entries].flatMap(([key, answered]) =>
    answered.size === 1 && answered.has(key) && entries.has(key)
      ? []
      : [`credit ${key} was answered with ${[...answered].join(", ")}`],
  );
}

/** A credit is taken back where its callers were answered so, and stays where they were refused. */
function wrongReversals({ databases }: Platform, { credits }: Workload): string[] {
  const entries = new Set(databases.payout.documents("ledger_entries").map(({ _id }) => _id));
  return [...credits.reversals].flatMap(([entryId, answers]) => {
    const isReversed = entries.has(`${entryId}:reversal`);
    return answers.every((each) => (each === "reversed") === isReversed)
      ? []
      : [`${entryId} is ${isReversed ? "" : "not "}reversed (${answers.join(", ")})`];
  });
}

const endings: Readonly<Record<Scenario, readonly [status: string, stage: string]>> = {
  settles: ["succeeded", "settled"],
  rejects: ["failed", "rejected"],
  returns: ["failed", "returned"],
  "returns after days": ["failed", "returned"],
};

/** The rail paid each payout once, as it says, and no other; each payout ended as its transfer. */
function wrongTransfers({ databases, railState }: Platform): string[] {
  const payouts = payoutsIn(databases.payout);
  const ids = new Set(payouts.map(({ _id }) => _id));
  const cancelled = cancelledIn(databases.payout);
  const strangers = [...railState.transfers.keys()].filter((key) => !ids.has(key));
  const wrong = payouts.flatMap(({ _id, status, progress, receiving_minor, destination }) => {
    const transfer = railState.transfers.get(String(_id));
    if (cancelled.has(_id)) return transfer === undefined ? [] : [`${_id} was kept back, and sent`];
    const { stage } = progress as Document;
    if (transfer === undefined) {
      // Its submission was lost, and operators rejected it: the rail will never pay it.
      const isTakenBack = stage === "rejected" && railState.isStone(String(_id));
      return stage === "cancelled" || isTakenBack ? [] : [`${_id} was never sent`];
    }
    if (transfer.isWithdrawn) {
      const isEnded = stage === "cancelled" || stage === "rejected";
      return isEnded ? [] : [`${_id} is ${stage}, and its rail took it back`];
    }
    const [ended, at] = endings[transfer.scenario];
    const isSame = status === ended && stage === at;
    const isAmount = String(receiving_minor) === String(transfer.amount);
    return [
      ...(isSame ? [] : [`${_id} is ${status}, ${stage}; its transfer ${transfer.scenario}`]),
      ...(isAmount && destination === transfer.currency ? [] : [`${_id} was paid otherwise`]),
    ];
  });
  return [...strangers.map((key) => `the rail paid ${key}, which is no payout`), ...wrong];
}

/** What a merchant was answered that it is cancelled stays so. */
function wrongCancellations({ databases }: Platform, { cancelled }: WorkloadRecord): string[] {
  return payoutsIn(databases.payout).flatMap(({ _id, progress }) => {
    const { stage } = progress as Document;
    const isWrong = cancelled.has(String(_id)) && stage !== "cancelled";
    return isWrong ? [`${_id} was cancelled, and is ${stage}`] : [];
  });
}

/** The operations by which two persons have resolved a payout. */
function appliedTo({ resolutions = [] }: Document): unknown[] {
  const decided = resolutions as { id: string; fate: string }[];
  return decided.filter(({ fate }) => fate === "applied").map(({ id }) => id);
}

/** Payouts that two persons ended before they were sent. */
function cancelledIn(database: MemoryDatabase): ReadonlySet<unknown> {
  const unsent = payoutsIn(database).filter(({ submitted_at }) => submitted_at === undefined);
  const ended = unsent.filter((each) => each.status === "failed" && appliedTo(each).length > 0);
  return new Set(ended.map(({ _id }) => _id));
}

/** What each account counts are its payouts. */
function wrongCounts({ databases }: Platform): string[] {
  const byAccount = Map.groupBy(payoutsIn(databases.payout), (each) => each.account_id);
  return databases.payout.documents("accounts").flatMap(({ _id, counts }) =>
    Object.entries(counts as Record<string, number>).flatMap(([status, counted]) => {
      const own = byAccount.get(_id) ?? [];
      const count = own.filter((each) => each.status === status).length;
      return counted === count ? [] : [`${_id} has ${count} ${status}, counted ${counted}`];
    }),
  );
}

/**
 * The audit trail has no gap. Each resolution that was applied is in it once, and is a proposal that
 * ran since another person than its proposer approved it.
 */
function wrongTrail({ databases }: Platform): string[] {
  const trail = databases.payout.documents("audit_entries");
  const numbers = trail.map(({ _id }) => Number(_id)).toSorted((one, other) => one - other);
  const gap = numbers.find((number, at) => number !== at + 1);
  const proposals = databases.payout.documents("proposals");
  const wrong = databases.payout.documents("payouts").flatMap((payout) =>
    appliedTo(payout).flatMap((operation) => {
      const entries = trail.filter(
        (each) => each.action === "payout.resolved" && each.operation === operation,
      );
      const proposal = proposals.find((each) => each.operation_id === operation);
      const decidedBy = (proposal?.decided as { by?: string } | null)?.by;
      const isDecided = decidedBy !== undefined && decidedBy !== proposal?.proposed_by;
      const isRun = proposal?.state === "executed" && proposal.subject === payout._id;
      return [
        ...(entries.length === 1
          ? []
          : [`${payout._id} was resolved, ${entries.length} times said`]),
        ...(isDecided && isRun ? [] : [`${payout._id} was resolved without two persons`]),
      ];
    }),
  );
  return [...(gap === undefined ? [] : [`the audit trail has a gap before ${gap}`]), ...wrong];
}

/** Every change of status was acknowledged by its merchant. */
function missedEvents({ databases, merchants }: Platform): string[] {
  return payoutsIn(databases.payout).flatMap(({ _id, version, status }) => {
    const name = String(_id).slice("po_".length);
    const ids = Array.from({ length: Number(version) }, (_each, at) => `evt_${name}_${at + 1}`);
    const missing = ids.filter((id) => !merchants.acknowledged.has(id));
    const last = merchants.acknowledged.get(ids.at(-1) ?? "");
    return [
      ...missing.map((id) => `${id} never reached its merchant`),
      ...(last === undefined || last.status === status
        ? []
        : [`${_id} was notified as ${last.status}`]),
    ];
  });
}
