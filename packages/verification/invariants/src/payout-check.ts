import { BSON } from "mongodb";
import { overdueMs } from "./account-check.ts";
import type {
  Account,
  Actor,
  BankPayment,
  Beneficiary,
  Entry,
  Payout,
  Quote,
  Screening,
  StoredEvent,
  TakenByChain,
  Transfer,
} from "./documents.ts";
import { postsToPlatform, reversesPlatformPostings } from "./entry-check.ts";
import { payoutEvents } from "./event-check.ts";
import { compare, decimalOf, major, minorOf } from "./exact.ts";
import { type Expect, expectationsOf, type Finding } from "./finding.ts";
import { wasReported } from "./reported.ts";
import { checkRailMoney, checkShort } from "./treasury-check.ts";

export type PayoutRelations = {
  readonly account: Account | undefined;
  readonly quote: Quote | undefined;
  readonly beneficiary: Beneficiary | undefined;
  readonly screenings: readonly Screening[];
  readonly transfer: Transfer | undefined;
  readonly bankPayment: BankPayment | undefined;
  readonly chainTransfer: TakenByChain | undefined;
  readonly entries: Readonly<Record<string, Entry | undefined>>;
  readonly events: readonly StoredEvent[];
};

/** The public status of each stage, and its movements after the hold. */
const stages: Readonly<Record<string, readonly [status: string, ...endings: string[]]>> = {
  awaiting_approval: ["initiated", ""],
  queued: ["initiated", ""],
  awaiting_funds: ["initiated", ""],
  submitting: ["initiated", ""],
  processing: ["initiated", ""],
  unknown: ["initiated", ""],
  cancelling: ["initiated", ""],
  concluding: ["initiated", "", "post", "release"],
  settled: ["succeeded", "post"],
  returning: ["succeeded", "post", "post return"],
  rejected: ["failed", "release"],
  returned: ["failed", "post return"],
  cancelled: ["failed", "release"],
};

const openStages = [
  ...["awaiting_approval", "queued", "awaiting_funds", "submitting", "processing"],
  ...["cancelling", "concluding", "returning"],
];
/** Allows for clock differences, because another service set the time of the screening. */
const clocksApartMs = 5_000;

export function checkPayout(payout: Payout, relations: PayoutRelations, now: Date): Finding[] {
  const { findings, expect } = expectationsOf(payout._id);
  findings.push(...checkPayoutMoney(payout, relations));
  checkJournal(payout, expect);
  checkWork(payout, expect, now);
  checkEvents(payout, relations.events, expect);
  checkCleared(payout, relations, expect);
  checkApproved(payout, expect);
  const { transfer, bankPayment, chainTransfer } = relations;
  // A cancelled payout may have no transfer at its rail, because the rail may only have promised
  // never to pay it.
  const isBacked =
    (transfer ?? bankPayment ?? chainTransfer) !== undefined ||
    payout.progress.stage === "cancelled" ||
    wasReported(payout);
  expect(9, isBacked || payout.status === "initiated", "has an outcome that its rail never gave");
  return findings;
}

type MoneyRelations = Pick<PayoutRelations, "quote" | "account" | "entries">;

export function checkPayoutMoney(payout: Payout, relations: MoneyRelations): Finding[] {
  const { findings, expect } = expectationsOf(payout._id);
  checkSource(payout, relations, expect);
  checkMoney(payout, relations, expect);
  return findings;
}

/** Requires that the payout equals its quote. */
function checkSource(payout: Payout, { quote, account }: MoneyRelations, expect: Expect): void {
  expect(3, quote !== undefined, "has no quote");
  const isAccounts =
    account?.merchant_id === payout.merchant_id && account.currency === payout.source;
  expect(12, isAccounts, "has no account of its merchant and currency");
  if (quote === undefined) return;
  expect(12, quote.merchant_id === payout.merchant_id, "is of another merchant than its quote");
  expect(12, payout.order.merchant_id === payout.merchant_id, "was ordered by another merchant");
  const { claim } = quote;
  expect(3, claim?.payout_id === payout._id, "did not claim its quote");
  const isBound = claim?.operation_id === payout.order.operation_id;
  expect(6, isBound, "its operation is not bound to its quote");
  const claimed = claim && orderText(BSON.deserialize(claim.order.buffer));
  expect(3, claimed === orderText(payout.order), "its order did not claim its quote");
  const same: [string, unknown, unknown][] = [
    ["account", payout.account_id, quote.account_id],
    ["corridor", payout.corridor_id, quote.corridor_id],
    ["beneficiary", payout.beneficiary_id, quote.beneficiary.id],
    ["source", payout.source, quote.source],
    ["destination", payout.destination, quote.destination],
    ["amount", minorOf(payout.source_minor), minorOf(quote.amounts.source)],
    ["fees", minorOf(payout.fees_minor), minorOf(quote.amounts.fees)],
    ["receiving amount", minorOf(payout.receiving_minor), minorOf(quote.amounts.receiving)],
  ];
  for (const [name, mine, quoted] of same) {
    expect(3, mine === quoted, `its ${name} differs from its quote's`);
  }
  const isRate = compare(decimalOf(payout.exchange_rate), decimalOf(quote.rate)) === 0;
  expect(3, isRate, "its rate differs from its quote's");
}

/** Serializes dates and amounts with their types. */
function orderText(order: object): string {
  return BSON.EJSON.stringify(order, { relaxed: false });
}

/** Requires that the stage matches the entries, and that the money went where the quote says. */
function checkMoney(payout: Payout, { entries }: MoneyRelations, expect: Expect): void {
  const { hold, post, release } = entries;
  expect(4, hold !== undefined, "its money was never held");
  const ending = ["post", "release", "return"].filter((step) => entries[step] !== undefined);
  const { stage } = payout.progress;
  const [, ...endings] = stages[stage] ?? [""];
  const allowed = endings.includes(ending.join(" "));
  expect(4, allowed, `is ${stage}, but its ledger has hold ${ending.join(" ")}`);
  for (const entry of [hold, post, release, entries.return]) {
    if (entry === undefined) continue;
    // `checkShort` checks a short return.
    if (entry.step === "return" && payout.progress.short !== undefined) continue;
    const isAll = minorOf(entry.amount) === minorOf(payout.source_minor);
    expect(4, isAll, `its ${entry.step} is of another amount`);
  }
  checkRailMoney(payout, entries, expect);
  if (post === undefined) return;
  const fees = major(minorOf(payout.fees_minor), payout.source);
  const isFees = postsToPlatform(post, `platform:fees/${payout.source}`, fees);
  expect(1, isFees, "its post books other fees than its own");
  const paid = major(minorOf(payout.receiving_minor), payout.destination);
  const isPaid = postsToPlatform(post, `platform:settlement/${payout.destination}`, paid);
  expect(1, isPaid, "its post books another payment than its own");
  const back = entries.return;
  if (back === undefined) return;
  if (payout.progress.short !== undefined) checkShort(payout, back, expect);
  else expect(1, reversesPlatformPostings(back, post), "its return does not reverse its post");
}

/** Requires that a payout with pending work has a due time and isn't overdue. */
function checkWork(payout: Payout, expect: Expect, now: Date): void {
  const { stage } = payout.progress;
  const due = payout.work_due_at?.getTime();
  const isOpen = openStages.includes(stage) || stage === "unknown";
  expect(5, !isOpen || due !== undefined, `is ${stage}, but is not due for a worker`);
  const overdue = now.getTime() - overdueMs;
  const isLate = isOpen && due !== undefined && due < overdue;
  expect(5, !isLate, `is ${stage}, but no worker continued it when it was due`);
  const hasPending = payout.outbox.some(({ at }) => at.getTime() < overdue);
  expect(8, !hasPending, "has an event that nobody published");
}

/**
 * Requires that the notifier has the event of each version once, unless it is still being
 * published.
 */
function checkEvents(payout: Payout, all: readonly StoredEvent[], expect: Expect): void {
  const events = all.filter(({ transaction_type }) => transaction_type === payoutEvents);
  const seen = statusesOf(payout);
  const unpublished = new Set(payout.outbox.map(({ id }) => id));
  for (const [at, status] of seen.entries()) {
    const version = at + 1;
    const id = `evt_${payout._id.slice("po_".length)}_${version}`;
    const stored = events.filter(({ sequence }) => sequence === version);
    // The record of the wait publishes its own version, and its check requires it.
    const isOthers = version === 1 && payout.order.waited !== undefined;
    const isThere =
      stored.length === 1 || (stored.length === 0 && (isOthers || unpublished.has(id)));
    expect(8, isThere, `its version ${version} is stored ${stored.length} times as an event`);
    const isSame = stored.every((event) => event.event_id === id && event.status === status);
    expect(7, isSame, `its version ${version} was published with other content`);
  }
  const beyond = events.filter(({ sequence }) => sequence < 1 || sequence > seen.length);
  expect(7, beyond.length === 0, "was published in a version that it never had");
}

/**
 * Requires that a screening cleared the beneficiary before the payout was created. The beneficiary
 * must also not be blocked before the payout is sent. A temporary block can't be detected, because
 * it leaves no trace.
 */
function checkCleared(
  payout: Payout,
  { beneficiary, screenings }: PayoutRelations,
  expect: Expect,
): void {
  const isOwn = beneficiary?.merchant_id === payout.merchant_id;
  expect(12, isOwn, "has no beneficiary of its merchant");
  const isCleared = screenings.some(
    ({ verdict, merchant_id, created_at }) =>
      verdict === "clear" &&
      merchant_id === payout.merchant_id &&
      created_at.getTime() <= payout.created_at.getTime() + clocksApartMs,
  );
  expect(10, isCleared, "no screening had cleared its beneficiary");
  if (beneficiary === undefined || payout.submitted_at === undefined) return;
  const isStopped = beneficiary.screening.status !== "cleared";
  const stoppedForMs = payout.submitted_at.getTime() - beneficiary.updated_at.getTime();
  const isLate = isStopped && stoppedForMs > clocksApartMs;
  expect(10, !isLate, "was sent after its beneficiary had been stopped");
}

/** Keys and members with the same root are one actor. */
function rootOf(actor: Actor | undefined): string | undefined {
  if (actor === undefined) return undefined;
  const { kind, id, root = id } = actor;
  return kind === "api_key" || kind === "member" ? `merchant ${root}` : `${kind} ${id}`;
}

/**
 * If the payout needs an approval, requires that another actor approved it in time and before it
 * was sent.
 */
function checkApproved({ approval, order, submitted_at, progress }: Payout, expect: Expect): void {
  const isWaiting = progress.stage === "awaiting_approval";
  expect(10, approval !== undefined || !isWaiting, "waits for an approval that it does not need");
  if (approval === undefined) return;
  const { decision, expires_at } = approval;
  expect(
    10,
    decision === undefined || !isWaiting,
    "has a decision on its approval, but still waits for it",
  );
  const isSent = submitted_at !== undefined;
  expect(
    10,
    !isSent || decision?.as === "approved",
    "was sent without the approval that it needed",
  );
  if (decision === undefined || decision.as === "expired") return;
  const isOwn = rootOf(order.actor) === rootOf(decision.by);
  expect(10, !isOwn, "was approved or rejected by the actor that executed it");
  const isLate = decision.at.getTime() > expires_at.getTime() + clocksApartMs;
  expect(10, !isLate, "was approved or rejected after its approval had expired");
}

/** Requires that a transfer in the rail's records matches its payout. */
export function checkTransfer(transfer: Transfer, payout: Payout | undefined): Finding[] {
  const { findings, expect } = expectationsOf(transfer._id);
  expect(9, payout !== undefined, "the rail has a transfer without a payout");
  if (payout === undefined) return findings;
  const { stage, reference = transfer.reference } = payout.progress;
  const isUnsent = ["awaiting_approval", "queued", "awaiting_funds"].includes(stage);
  expect(9, !isUnsent, "the rail has a transfer, but the payout was never submitted");
  const { withdrawn_at } = transfer;
  const isTakenBack = stage !== "cancelled" || withdrawn_at !== undefined;
  expect(9, isTakenBack, "is cancelled, but its rail did not withdraw the transfer");
  if (wasReported(payout)) return findings;
  const isRejected = transfer.scenario === "fail";
  const isPaid = ["settled", "returning", "returned"].includes(stage);
  expect(
    9,
    withdrawn_at === undefined || !isPaid,
    `is ${stage}, but its rail withdrew the transfer`,
  );
  expect(9, !(isRejected && isPaid), `is ${stage}, but its rail rejected it`);
  // A rail rejects a payment that operators withdrew, even if the operators' resolution came too
  // late.
  const mayReject = isRejected || withdrawn_at !== undefined;
  expect(9, mayReject || stage !== "rejected", "is rejected, but its rail did not reject it");
  expect(9, reference === transfer.reference, "has another reference than its rail gave");
  return findings;
}

/** Allowed status changes (service interface, payout statuses). */
const transitions: ReadonlySet<string> = new Set([
  "initiated",
  "initiated succeeded",
  "initiated failed",
  "initiated succeeded failed",
  "initiated initiated",
  "initiated initiated succeeded",
  "initiated initiated failed",
  "initiated initiated succeeded failed",
]);

/**
 * Changes between these stages can repeat often, so the journal keeps only a limited number of
 * them.
 */
const wavering: ReadonlySet<string> = new Set([
  ...["submitting", "processing", "unknown", "cancelling"],
]);

/** Returns a payout's statuses from its journal, one per version. */
export function statusesOf({ journal, order }: Payout): string[] {
  const all = journal.map(({ stage }) => stages[stage]?.[0] ?? `no status for ${stage}`);
  const changes = all.filter((status, at) => status !== all[at - 1]);
  // The wait for balance was a version of its own, before the payout.
  return order?.waited === undefined ? changes : ["initiated", ...changes];
}

/** Requires that journal, version and current state agree and are allowed. */
function checkJournal(payout: Payout, expect: Expect): void {
  const seen = statusesOf(payout);
  expect(7, transitions.has(seen.join(" ")), `its status went ${seen.join(", ")}`);
  expect(7, payout.version === seen.length, `has version ${payout.version} after ${seen.length}`);
  expect(7, payout.status === seen.at(-1), `is ${payout.status}, but its journal is not`);
  const versions = payout.journal.map(({ version }) => version);
  const isOrdered = versions.every((version, at) => {
    const step = version - (versions[at - 1] ?? (payout.order.waited === undefined ? 0 : 1));
    return at === 0 ? step === 1 : step === 0 || step === 1;
  });
  expect(7, isOrdered, `its journal has the versions ${versions.join(", ")}`);
  expect(7, versions.at(-1) === payout.version, "its journal ends with another version");
  const { stage } = payout.progress;
  const last = payout.journal.at(-1)?.stage ?? "";
  const hasWavered = wavering.has(stage) && wavering.has(last);
  expect(7, stage === last || hasWavered, `its journal does not end with ${stage}`);
}
