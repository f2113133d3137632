import { expect, it } from "vitest";
import { openerOf } from "./answer-check.ts";
import { checkDocuments } from "./documents-check.ts";
import { type Invariant, invariantNumbers } from "./finding.ts";
import { sealedAnswer, sealingKeys } from "./test-answer.ts";
import { now, soundDocuments } from "./test-documents.ts";

// biome-ignore lint/suspicious/noExplicitAny: a corruption is a wrong value in any place.
type Spoilt = Record<string, any[]>;

const check = (documents: Spoilt) =>
  checkDocuments(documents as never, { now, open: openerOf(sealingKeys) });

const account = ({ accounts }: Spoilt) => accounts?.[0];
const by = (collection: string, id: string) => (documents: Spoilt) =>
  documents[collection]?.find(({ _id }) => _id === id);
const entry = (id: string) => by("ledger_entries", id);
const payout = (name: string) => by("payouts", `po_${name}`);
const quote = (name: string) => by("quotes", `qt_${name}`);
const drop = (collection: string, id: string) => (documents: Spoilt) => {
  documents[collection] = documents[collection]?.filter(({ _id }) => _id !== id) ?? [];
};
const old = new Date(now.getTime() - 600_000);

type Corruption = [string, Invariant, string, (documents: Spoilt) => unknown];

const money: Corruption[] = [
  ["money from nowhere", 1, "funded", (d) => (account(d).available = "80001")],
  ["another balance in an entry", 1, "follow", (d) => (entry("po_settled:post")(d).held = "1")],
  ["a lost entry", 1, "sequence", drop("ledger_entries", "po_settled:post")],
  ["a lost last entry", 1, "last entry", (d) => (account(d).recent = [])],
  ["a lost recorded entry", 1, "lacks", (d) => (account(d).recorded_sequence = 12)],
  ["a changed note", 1, "hash is not", (d) => (entry("po_settled:hold")(d).note = "other")],
  ["another actor", 1, "hash is not", (d) => (entry("po_settled:hold")(d).actor = { id: "eve" })],
  ["a broken chain", 1, "chain", (d) => (entry("po_settled:hold")(d).previous_hash = "x")],
  ["another head", 1, "head", (d) => (account(d).head_hash = "x")],
  ["another number of entries", 1, "its sequence", (d) => (account(d).sequence = 99)],
  ["an entry of the past", 1, "older", (d) => (entry("po_settled:post")(d).created_at = old)],
  [
    "an entry of nobody",
    1,
    "an account that does not exist",
    (d) => (entry("po_settled:hold")(d).account_id = "a"),
  ],
  [
    "two entries under one key",
    1,
    "another entry",
    (d) => d.ledger_entries?.push({ ...entry("po_settled:hold")(d), _id: "po_going:hold" }),
  ],
  [
    "postings that do not balance",
    1,
    "sum to zero",
    (d) => (entry("po_settled:post")(d).postings[1].amount = "0.9"),
  ],
  [
    "an amount with zeros at its end",
    1,
    "canonically",
    (d) => (entry("po_settled:post")(d).postings[1].amount = "0.80"),
  ],
  [
    "postings of another step",
    1,
    "no hold",
    (d) => (entry("po_settled:hold")(d).postings = entry("po_rejected:release")(d).postings),
  ],
  ["another count", 1, "payouts initiated", (d) => (account(d).counts.initiated = 2)],
  ["another count of payments", 1, "payouts succeeded", (d) => (account(d).counts.succeeded = 0)],
  ["too many failed", 1, "payouts failed", (d) => (account(d).counts.failed = 3)],
  ["another count", 1, "payouts initiated", (d) => (account(d).counts.initiated = 2)],
  ["another count of payments", 1, "payouts succeeded", (d) => (account(d).counts.succeeded = 0)],
  ["too many failed", 1, "payouts failed", (d) => (account(d).counts.failed = 4)],
  [
    "another sum of the platform",
    1,
    "platform:fees",
    (d) => (account(d).platform["platform:fees/USD"] = "1"),
  ],
  ["fees of another amount", 1, "other fees", (d) => (payout("settled")(d).fees_minor = "81")],
  ["another payment", 1, "another payment", (d) => (payout("settled")(d).receiving_minor = "1")],
  [
    "a return of something else",
    1,
    "its return",
    (d) => entry("po_returned:return")(d).postings.splice(1, 2),
  ],
  ["a negative balance", 2, "available", (d) => (account(d).available = "-1")],
  ["a negative balance in between", 2, "leaves", (d) => negative(d)],
  ["a hold that ended twice", 4, "of nothing", (d) => endTwice(d)],
  ["a key of another step", 4, "no key", (d) => (entry("po_settled:post")(d)._id = "po_settled:x")],
  ["a hold without a payout", 4, "held", (d) => unowned(d)],
  ["a post without a payout", 4, "without a payout", drop("payouts", "po_settled")],
  ["a payout without a hold", 4, "never held", drop("ledger_entries", "po_settled:hold")],
  [
    "a settled payout that kept its money",
    4,
    "ledger has",
    drop("ledger_entries", "po_settled:post"),
  ],
  [
    "a payout of another amount",
    4,
    "another amount",
    (d) => (payout("going")(d).source_minor = "1"),
  ],
];

function negative(documents: Spoilt): void {
  entry("po_settled:hold")(documents).available = "-5";
}

function endTwice(documents: Spoilt): void {
  const post = entry("po_settled:post")(documents);
  documents.ledger_entries?.push({ ...post, _id: "po_settled:release", step: "release" });
}

function unowned(documents: Spoilt): void {
  account(documents).open_holds = [];
  drop("payouts", "po_going")(documents);
}

const order = (documents: Spoilt) => payout("settled")(documents).order;

const saga: Corruption[] = [
  ["another rate", 3, "rate", (d) => (payout("settled")(d).exchange_rate = "83.2")],
  ["another amount", 3, "amount", (d) => (payout("settled")(d).source_minor = "10001")],
  ["other fees", 3, "fees", (d) => (payout("settled")(d).fees_minor = "81")],
  ["another beneficiary", 3, "beneficiary", (d) => (payout("settled")(d).beneficiary_id = "ben_2")],
  ["another reference", 3, "its order", (d) => (order(d).details.reference_id = "x")],
  ["another maker", 3, "its order", (d) => (order(d).actor = { kind: "api_key", id: "key_2" })],
  ["another merchant's order", 12, "ordered by", (d) => (order(d).merchant_id = "mer_x")],
  ["no quote", 3, "no quote", drop("quotes", "qt_settled")],
  ["a claim of another", 3, "not its own", (d) => (quote("settled")(d).claim.payout_id = "po_x")],
  ["a claim that is open", 3, "disagree", (d) => (quote("settled")(d).state = "open")],
  ["a claim without its payout", 5, "does not exist", drop("payouts", "po_rejected")],
  [
    "a payout without a due time",
    5,
    "not due for a worker",
    (d) => delete payout("going")(d).work_due_at,
  ],
  ["a payout left alone", 5, "no worker continued", (d) => (payout("going")(d).work_due_at = old)],
  ["an account that no sweep finds", 5, "no sweep", (d) => delete account(d).dirty],
  ["a hold that nobody finished", 5, "finished", (d) => (account(d).open_holds[0].since = old)],
  ["another operation", 6, "not bound", (d) => (order(d).operation_id = "x")],
  ["a gap in the versions", 7, "version", (d) => (payout("settled")(d).version = 3)],
  ["a status that went back", 7, "went", (d) => goBack(d)],
  ["another status", 7, "journal is not", (d) => (payout("settled")(d).status = "failed")],
  ["another stage", 7, "end with", (d) => (payout("settled")(d).progress.stage = "returning")],
  ["versions that skip", 7, "versions", (d) => (payout("settled")(d).journal[4].version = 5)],
  ["an outcome without a rail", 9, "never gave", drop("sandbox_transfers", "po_settled")],
  ["a transfer of nobody", 9, "without a payout", (d) => (d.sandbox_transfers![0]._id = "po_x")],
  ["a rejection that was paid", 9, "rejected", (d) => (d.sandbox_transfers![0].scenario = "fail")],
  [
    "another reference of the rail",
    9,
    "reference",
    (d) => (d.sandbox_transfers![0].reference = "x"),
  ],
  ["a cancellation that its rail knows nothing of", 9, "did not withdraw", (d) => cancel(d)],
  [
    "a payment that its rail took back",
    9,
    "rail withdrew",
    (d) => (d.sandbox_transfers![0].withdrawn_at = now),
  ],
  ["a payout out of the blue", 9, "was never submitted", (d) => unsubmit(d)],
  ["another outcome of an approved payout", 9, "its rail rejected it", (d) => rejectApproved(d)],
  ["a party that was not cleared", 10, "cleared", (d) => (d.screenings![0].verdict = "review")],
  ["a screening of another", 10, "cleared", (d) => (d.screenings![0].record_id = "ben_2")],
  ["a screening after the payout", 10, "cleared", (d) => (d.screenings![0].created_at = now)],
  ["a payout to whom was stopped", 10, "been stopped", (d) => stop(d, 6_000)],
  ["a payout that nobody approved", 10, "without the approval", (d) => decide(d, undefined)],
  [
    "a rejected payout that was sent",
    10,
    "without the approval",
    (d) => decide(d, { as: "rejected" }),
  ],
  ["an approval by who executed", 10, "actor that executed", (d) => decide(d, { by: executor })],
  [
    "an approval by a key of the same root",
    10,
    "actor that executed",
    (d) => decide(d, { by: child }),
  ],
  ["an approval too late", 10, "had expired", (d) => decide(d, { at: late })],
  ["a decision that changed nothing", 10, "still waits", (d) => decide(d, {}, "awaiting_approval")],
  ["a wait for nothing", 10, "not need", (d) => wait(d)],
  ["a late claim", 11, "expired", (d) => (quote("settled")(d).expires_at = old)],
  ["fees that do not add up", 13, "converted", (d) => (quote("open")(d).amounts.fees = "79")],
  [
    "too much that arrives",
    13,
    "the receiving amount",
    (d) => (quote("open")(d).amounts.receiving = "824585"),
  ],
  [
    "too little that arrives",
    13,
    "the receiving amount",
    (d) => (quote("open")(d).amounts.receiving = "824500"),
  ],
  ["nothing that arrives", 13, "nothing", (d) => (quote("open")(d).amounts.receiving = "0")],
];

/** Blocks the beneficiary permanently, this long before a payout to it is sent. */
function stop(documents: Spoilt, beforeMs: number): void {
  documents.beneficiaries![0].screening.status = "blocked";
  documents.beneficiaries![0].updated_at = new Date(now.getTime() - beforeMs);
  payout("settled")(documents).submitted_at = now;
}

const executor = { kind: "api_key", id: "key_1" };
const child = { kind: "api_key", id: "key_2", root: "key_1" };
const late = new Date(now.getTime() + 6_000);

/** Gives the settled payout a valid approval, with some changes. */
function decide(documents: Spoilt, different: object | undefined, stage = "settled"): void {
  const sound = { as: "approved", at: now, by: { kind: "member", id: "mem_1" } };
  const decision = different && { ...sound, ...different };
  const own = payout("settled")(documents);
  Object.assign(own, { approval: { expires_at: now, decision } });
  own.order.actor = executor;
  own.submitted_at ??= now;
  own.progress.stage = stage;
}

/** Adds an approval to the history of the settled payout, whose rail rejected it. */
function rejectApproved(documents: Spoilt): void {
  decide(documents, {});
  payout("settled")(documents).journal[0].operation_id = "op_approval";
  by("sandbox_transfers", "po_settled")(documents).scenario = "fail";
}

function wait(documents: Spoilt): void {
  payout("going")(documents).progress.stage = "awaiting_approval";
}

function goBack(documents: Spoilt): void {
  payout("settled")(documents).journal.push({ stage: "processing", version: 3 });
}

/** Makes the rejected payout one cancelled by its merchant. */
function cancel(documents: Spoilt): void {
  const rejected = payout("rejected")(documents);
  rejected.progress.stage = "cancelled";
  rejected.journal.at(-1).stage = "cancelled";
}

function unsubmit(documents: Spoilt): void {
  payout("going")(documents).progress.stage = "queued";
}

const eventCorruptions: Corruption[] = [
  ["an event that never came", 8, "stored 0 times", drop("events", "mer_1/evt_settled_2")],
  ["an event of another status", 7, "other content", (d) => (d.events![0].status = "failed")],
  [
    "an event of another version",
    7,
    "does not follow from its payout",
    (d) => (d.events![0].event_id = "evt_x"),
  ],
  ["a version that never was", 7, "never had", (d) => beyond(d)],
  ["an event that is pending for long", 8, "has an event", (d) => addPending(d)],
  ["an event of no payout", 8, "does not exist", (d) => (d.events![0].transaction_id = "po_x")],
  ["an event without its delivery", 8, "0 deliveries", drop("deliveries", "whd_evt_settled_1")],
  ["an endpoint without its delivery", 8, "0 deliveries", (d) => unpublish(d)],
  ["a delivery of no event", 8, "event that", (d) => (d.deliveries![0].event_id = "evt_x")],
  ["a delivery without its 200", 8, "200", (d) => (d.deliveries![0].attempts = [])],
  [
    "a delivery that nobody sends",
    8,
    "no process sends",
    (d) => (d.deliveries![0].state = "pending"),
  ],
  ["a delivery that gave up untried", 8, "never attempted", (d) => giveUp(d)],
  ["a delivery in no state", 8, "state", (d) => (d.deliveries![0].state = "lost")],
];

function beyond(documents: Spoilt): void {
  documents.events?.push({ ...documents.events[1], event_id: "evt_settled_3", sequence: 3 });
}

function addPending(documents: Spoilt): void {
  payout("settled")(documents).outbox = [{ id: "evt_settled_2", at: old }];
}

function unpublish(documents: Spoilt): void {
  documents.events![0].endpoint_ids = [];
  drop("deliveries", "whd_evt_settled_1")(documents);
}

function giveUp(documents: Spoilt): void {
  Object.assign(documents.deliveries![0], { state: "exhausted", attempts_count: 0 });
}

const others: Corruption[] = [
  [
    "an entry of another merchant",
    12,
    "another account",
    (d) => alien(entry("po_settled:hold")(d)),
  ],
  ["a payout of another merchant", 12, "than its quote", (d) => alien(payout("settled")(d))],
  ["a quote on another's account", 12, "no account", (d) => alien(account(d))],
  ["a quote for another's beneficiary", 12, "no beneficiary", (d) => alien(d.beneficiaries![0])],
  ["an event of another merchant", 12, "than its payout", (d) => alien(d.events![0])],
  [
    "an event to another's endpoint",
    12,
    "not an endpoint of its merchant",
    (d) => alien(d.endpoints![0]),
  ],
  ["a delivery of another merchant", 12, "another merchant", (d) => alienDelivery(d)],
  ["an answer that names no record", 5, "does not exist", (d) => answer(d, "po_none")],
  [
    "an answer of another's record",
    12,
    "belongs to another merchant",
    (d) => alien(answer(d, "po_settled")),
  ],
  [
    "an answer that was tampered with",
    6,
    "decrypted",
    (d) => (answer(d, "x").merchant_id = "mer_2"),
  ],
  ["a key in no state", 6, "state", (d) => (d.idempotency_keys![0].progress.state = "lost")],
  [
    "a key without its answer",
    6,
    "stored response",
    (d) => (d.idempotency_keys![0].progress.state = "done"),
  ],
];

function alien(document: { merchant_id: string }): void {
  document.merchant_id = "mer_2";
}

function alienDelivery(documents: Spoilt): void {
  documents.events![0].merchant_id = "mer_1";
  documents.events?.push({ ...documents.events[0], _id: "mer_2/evt_settled_1" });
  alien(documents.deliveries![0]);
}

/** Stores an answer that names a record, possibly of another merchant. */
function answer(documents: Spoilt, id: string) {
  const key = documents.idempotency_keys![0];
  key.progress = { state: "done", sealed_answer: sealedAnswer(key, id) };
  return id === "po_settled" ? payout("settled")(documents) : key;
}

it("finds nothing in sound documents", () => {
  expect(check(soundDocuments())).toEqual([]);
});

it("finds nothing in a payout that was cancelled when its rail had taken it back", () => {
  const documents: Spoilt = structuredClone(soundDocuments());
  cancel(documents);
  const id = "po_rejected";
  documents.sandbox_transfers!.find(({ _id }) => _id === id).withdrawn_at = now;
  expect(check(documents)).toEqual([]);
});

it("finds nothing in a payout that was sent after its rail had taken it back, and rejected", () => {
  const documents: Spoilt = structuredClone(soundDocuments());
  const transfer = by("sandbox_transfers", "po_rejected")(documents);
  Object.assign(transfer, { scenario: "settle", withdrawn_at: now });
  expect(check(documents)).toEqual([]);
});

it("lets a delivery be given up untried when it has waited long enough for it", () => {
  const documents: Spoilt = structuredClone(soundDocuments());
  giveUp(documents);
  const [delivery] = documents.deliveries ?? [];
  delivery.created_at = new Date(delivery.updated_at.getTime() - 86_400_000);
  expect(check(documents)).toEqual([]);
});

it("lets a payout go that was sent before its beneficiary was stopped, later screenings or not", () => {
  const documents: Spoilt = structuredClone(soundDocuments());
  stop(documents, 4_000);
  documents.screenings!.push({ ...documents.screenings![0], _id: "scr_2", verdict: "block" });
  expect(check(documents)).toEqual([]);
});

function waits(documents: Spoilt): void {
  Object.assign(documents.deliveries![0], { state: "pending", due_at: old });
}

const health = (consecutive_failures: number, last_delivered_at: Date | null) => ({
  _id: "whe_1",
  consecutive_failures,
  last_delivered_at,
});

it("finds a delivery that nobody sends to an endpoint that took its last one", () => {
  const documents: Spoilt = structuredClone(soundDocuments());
  waits(documents);
  documents.endpoint_health = [health(0, old)];
  expect(check(documents)).toMatchObject([{ invariant: 8 }]);
});

it.each<[string, (documents: Spoilt) => unknown]>([
  ["is paused", (d) => (d.endpoints![0].paused_at = old)],
  ["was resumed a moment ago", (d) => (d.endpoints![0].updated_at = now)],
  ["was never verified", (d) => (d.endpoints![0].verified_at = null)],
  ["is down, and was tried long ago", (d) => (d.endpoint_health = [health(9, old)])],
  ["never took one", (d) => (d.endpoint_health = [health(1, null)])],
  ["is slow, and took another one a moment ago", (d) => (d.endpoint_health = [health(0, now)])],
])("lets a delivery wait whose endpoint %s", (_name, change) => {
  const documents: Spoilt = structuredClone(soundDocuments());
  waits(documents);
  expect(check(documents)).toHaveLength(1);
  change(documents);
  expect(check(documents)).toEqual([]);
});

it.each<[string, (documents: Spoilt) => unknown]>([
  ["wants others", (d) => (d.endpoints![0].event_types = ["refund", "payout_session.failed"])],
  [
    "did not want it yet",
    (d) => (d.endpoints![0].operations = [{ at: now, before: { event_types: ["refund"] } }]),
  ],
])("lets an event go unpublished to an endpoint that %s", (_name, change) => {
  const documents: Spoilt = structuredClone(soundDocuments());
  unpublish(documents);
  expect(check(documents)).toHaveLength(1);
  change(documents);
  expect(check(documents)).toEqual([]);
});

const corruptions = [...money, ...saga, ...eventCorruptions, ...others];

it("lets a payout go that another one approved", () => {
  const documents: Spoilt = structuredClone(soundDocuments());
  decide(documents, {});
  expect(check(documents)).toEqual([]);
});

it("lets a payout have an event that goes to who names its type, beside those of its versions", () => {
  const documents: Spoilt = structuredClone(soundDocuments());
  const event_id = "evt_settled_approval";
  const optIn = { event_id, transaction_type: "payout.approval_required", endpoint_ids: [] };
  documents.events!.push({ ...documents.events![0], ...optIn, _id: `mer_1/${event_id}` });
  expect(check(documents)).toEqual([]);
});

it.each(corruptions)("finds %s", (_name, invariant, detail, spoil) => {
  const documents: Spoilt = structuredClone(soundDocuments());
  spoil(documents);
  const found = check(documents).filter((finding) => finding.invariant === invariant);
  expect(found.map((finding) => finding.detail).join("\n")).toContain(detail);
});

it("has a corruption for every invariant", () => {
  // Rules for chains are tested in `chain/transfer-check.test.ts`.
  const tried = new Set<Invariant>([...corruptions.map(([, invariant]) => invariant), 15]);
  expect(invariantNumbers.filter((number) => !tried.has(number))).toEqual([]);
});
