import type { Documents } from "@disburse/invariants/documents.ts";
import { checkDocuments } from "@disburse/invariants/documents-check.ts";
import type { Platform } from "../platform.ts";
import { railName } from "../rail/rail.ts";
import type { Scenario, Transfer } from "../rail/state.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";
import { lowBalance } from "../workload/set-up.ts";
import type { Workload, WorkloadRecord } from "../workload/workload.ts";
import { wrongApprovals } from "./approval-check.ts";
import { wrongOrders } from "./order-check.ts";
import { asPayout, payoutsIn } from "./payouts.ts";
import { wrongRepeats } from "./repeat-check.ts";

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

/**
 * Checks callers' answers. Each operation must have at most one payout, and its callers must get
 * this payout. A stopped beneficiary must not be paid.
 */
function wrongAnswers({ databases }: Platform, { answered }: WorkloadRecord): string[] {
  const waits = new Map(
    databases.payout.documents("waiting_payouts").map((each) => [each._id, each]),
  );
  // A payout that waited belongs to the operation that let it wait, and to the quote of that.
  const all = payoutsIn(databases.payout).map((each) => {
    const wait = waits.get(each._id);
    const quoted = (wait?.balance as Document | undefined)?.quoted as Document | undefined;
    if (each.waited === undefined || wait === undefined) return each;
    return { ...each, operation_id: wait.operation_id, quote_id: quoted?.id } as Document;
  });
  const unpaid = [...waits.values()].flatMap((wait) => {
    if (all.some(({ _id }) => _id === wait._id)) return [];
    const { quoted } = wait.balance as { quoted: Document };
    return [{ ...wait, quote_id: quoted.id } as Document];
  });
  const payouts = new Map([...all, ...unpaid].map((each) => [each._id, each]));
  const byOperation = Map.groupBy(all, (each) => `${each.merchant_id} ${each.operation_id}`);
  return answered.flatMap(({ merchantId, operationId, quoteId, answers, isRefusedBeneficiary }) => {
    const created = answers.filter((each) => each.startsWith("po_"));
    const say = (isWrong: boolean, what: string) =>
      isWrong ? [`${operationId} of ${quoteId}: ${what} (${answers.join(", ")})`] : [];
    const own = created.map((id) => payouts.get(id));
    return [
      ...say(new Set(created).size > 1, "got two payouts"),
      ...say(
        (byOperation.get(`${merchantId} ${operationId}`)?.length ?? 0) > 1,
        "made two payouts",
      ),
      ...say(own.includes(undefined), "got a payout that does not exist"),
      ...say(
        own.some((each) => each?.operation_id !== operationId || each.quote_id !== quoteId),
        "got another operation's payout",
      ),
      ...say(isRefusedBeneficiary && created.length > 0, "paid a beneficiary that was stopped"),
    ];
  });
}

/** Requires that each credit key has one entry, and that all callers got this entry. */
function wrongCredits({ databases }: Platform, { credits }: Workload): string[] {
  const entries = new Set(databases.payout.documents("ledger_entries").map(({ _id }) => _id));
  return [...credits.entries].flatMap(([key, answered]) =>
    answered.size === 1 && answered.has(key) && entries.has(key)
      ? []
      : [`credit ${key} was answered with ${[...answered].join(", ")}`],
  );
}

/**
 * Requires that a credit is reversed if callers got that answer, and that it remains if the
 * reversal was refused.
 */
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

/**
 * Requires that the rail paid each payout once and nothing else. Each payout must end in the same
 * way as its transfer.
 */
function wrongTransfers({ databases, railState }: Platform): string[] {
  const payouts = payoutsIn(databases.payout);
  const ids = new Set(payouts.map(({ _id }) => _id));
  const cancelled = cancelledIn(databases.payout);
  const unexpected = [...railState.transfers.keys()].filter((key) => !ids.has(key));
  const wrong = payouts.flatMap(({ _id, status, progress, receiving_minor, destination }) => {
    const transfer = railState.transfers.get(String(_id));
    if (cancelled.has(_id)) return transfer === undefined ? [] : [`${_id} was kept back, and sent`];
    const { stage } = progress as Document;
    if (transfer === undefined) {
      // The submission was lost and operators rejected the payout, so the rail will never pay it.
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
  return [...unexpected.map((key) => `the rail paid ${key}, which is no payout`), ...wrong];
}

/** Requires that a payout stays cancelled after its merchant was told so. */
function wrongCancellations({ databases }: Platform, { cancelled }: WorkloadRecord): string[] {
  const waits = databases.payout.documents("waiting_payouts");
  const unpaid = waits.filter(({ state }) => state !== "executed");
  const stages = [
    ...payoutsIn(databases.payout).map(({ _id, progress }) => [_id, (progress as Document).stage]),
    ...unpaid.map(({ _id, state }) => [_id, state]),
  ];
  return stages.flatMap(([id, stage]) => {
    const isWrong = cancelled.has(String(id)) && stage !== "cancelled";
    return isWrong ? [`${id} was cancelled, and is ${stage}`] : [];
  });
}

/** Returns the operations by which two persons resolved a payout. */
function appliedTo({ resolutions = [] }: Document): unknown[] {
  const decided = resolutions as { id: string; effect: string }[];
  return decided.filter(({ effect }) => effect === "applied").map(({ id }) => id);
}

/** Returns payouts that two persons ended before sending. */
function cancelledIn(database: MemoryDatabase): ReadonlySet<unknown> {
  const unsent = payoutsIn(database).filter(({ submitted_at }) => submitted_at === undefined);
  const ended = unsent.filter((each) => each.status === "failed" && appliedTo(each).length > 0);
  return new Set(ended.map(({ _id }) => _id));
}

/** Compares each account's counts with its payouts. */
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
 * Requires an audit trail without gaps. The trail must have each applied resolution once, as a
 * proposal that another person approved before it ran.
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

/** Requires that merchants acknowledged every status change. */
function missedEvents({ databases, merchants }: Platform): string[] {
  const ended = databases.payout
    .documents("waiting_payouts")
    .filter(({ state }) => state === "failed" || state === "cancelled");
  const unpaid = ended.map(({ _id }) => ({ _id, version: 2, status: "failed" }));
  return [...payoutsIn(databases.payout), ...unpaid].flatMap(({ _id, version, status }) => {
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

/**
 * Requires that events of batches and of payouts awaiting approval are stored and delivered once.
 */
function wrongOptInEvents({ databases, merchants }: Platform): string[] {
  const stored = databases.notifier.documents("events");
  const own = (name: string) => databases.payout.documents(name);
  const wasWaiting = ({ journal }: Document) =>
    (journal as { stage: string }[])[0]?.stage === "awaiting_approval";
  const expected = [
    ...expectedEvents(
      "batch.finished",
      own("batches").filter(({ state }) => state === "finished"),
    ),
    ...expectedEvents(
      "batch.approval_required",
      own("batches").filter((each) => each.by_another === true),
    ),
    ...expectedEvents("payout.approval_required", payoutsIn(databases.payout).filter(wasWaiting)),
  ];
  const kept = stored.map((each) => `${each.transaction_type} of ${each.transaction_id}`);
  const awaited = new Set(expected);
  const missed = expected.filter((each) => kept.filter((one) => one === each).length !== 1);
  const optIn = stored.filter(({ transaction_type }) => transaction_type !== "payout_session");
  const beyond = optIn.filter(
    (each) =>
      each.transaction_type !== lowBalance &&
      !awaited.has(`${each.transaction_type} of ${each.transaction_id}`),
  );
  const unheard = optIn.filter(({ event_id }) => !merchants.acknowledged.has(String(event_id)));
  return [
    ...wrongFalls(databases),
    ...missed.map((each) => `${each} is not stored once`),
    ...beyond.map(({ event_id }) => `${event_id} is an event of nothing`),
    ...unheard.map(({ event_id }) => `${event_id} never reached its merchant`),
  ];
}

/** Requires one event for each fall of a balance below its threshold, and no other. */
function wrongFalls({ payout, notifier }: Platform["databases"]): string[] {
  const entries = Map.groupBy(payout.documents("ledger_entries"), (each) => each.account_id);
  const orderOf = new Map(
    payoutsIn(payout).map(({ _id, scheduled_payout_id: order }) => [_id, order]),
  );
  const expected = payout.documents("accounts").flatMap((account) => {
    const { _id, low_balance_threshold: threshold } = account;
    if (threshold === undefined) return [];
    const own = (entries.get(_id) ?? []).toSorted(
      (a, b) => Number(a.sequence) - Number(b.sequence),
    );
    const lowId = `evt_${String(_id).slice("acc_".length)}_low`;
    let wasLow = false;
    return own.flatMap(({ step, payout_id, available, sequence }, at) => {
      const next = own[at + 1];
      // A reservation that becomes a hold is one movement.
      const isTaken = step === "unreserve" && next?.step === "hold";
      if (isTaken && orderOf.get(next.payout_id) === payout_id) return [];
      const isLow = BigInt(String(available)) < BigInt(String(threshold));
      const isFall = isLow && !wasLow;
      wasLow = isLow;
      if (!isFall) return [];
      // The threshold was set after the first entry.
      return [at === 0 ? `${lowId}set` : `${lowId}${sequence}`];
    });
  });
  const kept = notifier
    .documents("events")
    .filter(({ transaction_type }) => transaction_type === lowBalance)
    // The number is the account's revision, which the publication of the credit may change before.
    .map(({ event_id }) => String(event_id).replace(/set\d+$/, "set"));
  const [awaited, stored] = [new Set(expected), new Set(kept)];
  return [
    ...expected.filter((id) => !stored.has(id)).map((id) => `${id} of a fall is not stored`),
    ...kept.filter((id) => !awaited.has(id)).map((id) => `${id} is an event of no fall`),
    ...(stored.size === kept.length ? [] : ["a fall has two events"]),
  ];
}

function expectedEvents(type: string, documents: readonly Document[]): string[] {
  return documents.map(({ _id }) => `${type} of ${_id}`);
}

/**
 * Compares the platform account in the ledger with the rail. Its balance must equal deposits less
 * withdrawals, payments and charges. No money may still be held.
 */
function wrongRailMoney({ databases, railState, treasury }: Platform): string[] {
  const accounts = databases.payout
    .documents("accounts")
    .filter(({ merchant_id }) => merchant_id === "platform");
  if (!railState.isFunded) return accounts.map(({ _id }) => `${_id} is of a rail without accounts`);
  const has = new Map(treasury.moved);
  const add = (currency: string, minor: bigint) =>
    has.set(currency, (has.get(currency) ?? 0n) + minor);
  for (const transfer of railState.transfers.values()) {
    add(transfer.currency, -paidBy(transfer));
    const { charge, isWithdrawn } = transfer;
    if (charge !== undefined && !isWithdrawn) add(charge.currency, -charge.minor);
  }
  const kept = new Map(accounts.map((each) => [String(each._id), each]));
  return [...has].flatMap(([currency, minor]) => {
    const id = `rail:${railName}:${currency}`;
    const { available = "0", held = "0" } = kept.get(id) ?? {};
    return [
      ...(String(held) === "0" ? [] : [`${id} holds ${held} at the end`]),
      ...(BigInt(String(available)) === minor
        ? []
        : [`${id} has ${available}, and the rail ${minor}`]),
    ];
  });
}

/** Returns the final amount of a transfer that left the platform account. */
function paidBy({ scenario, isWithdrawn, amount, short }: Transfer): bigint {
  if (isWithdrawn || scenario === "rejects") return 0n;
  return scenario === "settles" ? amount : short;
}

/** Returns a platform's final documents for checking invariants. */
function documentsOf({ databases, railState, beneficiaries }: Platform): Documents {
  const { payout, quote, notifier } = databases;
  const of = (database: MemoryDatabase, ...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, database.documents(name)]));
  const known = [...beneficiaries.values()];
  const collections = {
    ...of(payout, "accounts", "ledger_entries", "scheduled_payouts"),
    payouts: payout.documents("payouts").filter(asPayout).map(decidedInTime),
    waiting_payouts: payout.documents("waiting_payouts"),
    ...of(quote, "quotes"),
    ...of(notifier, "endpoints", "events", "deliveries"),
    sandbox_transfers: [
      ...[...railState.transfers.values()].map(transferDocument),
      ...[...railState.stones].filter((key) => !railState.transfers.has(key)).map(tombstone),
    ],
    beneficiaries: known.map(({ id, merchantId, stops }) => {
      const last = stops.find(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY);
      return {
        _id: id,
        merchant_id: merchantId,
        screening: { status: last === undefined ? "cleared" : "blocked" },
        updated_at: new Date(last?.fromMs ?? 0),
      };
    }),
    screenings: known.map(({ id, merchantId }) => ({
      _id: `scr_${id}`,
      merchant_id: merchantId,
      record_id: id,
      verdict: "clear",
      created_at: new Date(0),
    })),
    idempotency_keys: [],
  };
  return collections as unknown as Documents;
}

/**
 * Moves the time of a decision before the expiry of its approval. The stored time comes from a
 * process, and its clock may be wrong by an hour in the simulation. The write observer checks the
 * true time.
 */
function decidedInTime(payout: Document): Document {
  const approval = payout.approval as { expires_at: Date; decision?: { at: Date } } | undefined;
  if (approval?.decision === undefined) return payout;
  const { decision, expires_at } = approval;
  const at = new Date(Math.min(decision.at.getTime(), expires_at.getTime()));
  return { ...payout, approval: { ...approval, decision: { ...decision, at } } };
}

/** The sandbox's rail keeps a transfer that was withdrawn before it arrived in the same way. */
const tombstone = (key: string) => ({
  _id: key,
  scenario: "fail",
  reference: "",
  withdrawn_at: new Date(0),
});

function transferDocument({ key, scenario, reference, isWithdrawn }: Transfer) {
  const named = { settles: "settle", rejects: "fail", returns: "return" } as const;
  const isLate = scenario === "returns after days";
  const stored = { _id: key, scenario: isLate ? "return" : named[scenario], reference };
  return isWithdrawn ? { ...stored, withdrawn_at: new Date(0) } : stored;
}
