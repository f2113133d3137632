import { createIndexes, type Migration } from "@disburse/chassis/mongo/migrations.ts";
import type { Db, IndexDescription } from "mongodb";

/** The indexes of release 0.1. */
const indexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  accounts: [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: 1, _id: 1 }, name: "list" },
    { key: { dirty: 1 }, name: "dirty", sparse: true },
  ],
  audit_entries: [
    { key: { key: 1 }, name: "key", unique: true },
    { key: { subject: 1, _id: -1 }, name: "subject" },
  ],
  ledger_entries: [
    { key: { account_id: 1, sequence: -1 }, name: "statement", unique: true },
    { key: { account_id: 1, step: 1, sequence: -1 }, name: "statement_step" },
  ],
  payouts: [
    // What lists are filtered by has an index that also gives their order.
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    {
      key: { merchant_id: 1, status: 1, created_at: -1, _id: -1 },
      name: "list_status",
    },
    {
      key: { merchant_id: 1, beneficiary_id: 1, created_at: -1, _id: -1 },
      name: "list_beneficiary_id",
    },
    {
      key: { merchant_id: 1, reference_id: 1, created_at: -1, _id: -1 },
      name: "list_reference_id",
    },
    {
      key: { merchant_id: 1, quote_id: 1, created_at: -1, _id: -1 },
      name: "list_quote_id",
    },
    {
      key: { merchant_id: 1, source: 1, created_at: -1, _id: -1 },
      name: "list_source",
    },
    {
      key: { merchant_id: 1, destination: 1, created_at: -1, _id: -1 },
      name: "list_destination",
    },
    // What is polled has an index that a payout leaves when it is at its end.
    { key: { work_due_at: 1 }, name: "work", sparse: true },
    { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
    { key: { "untallied.at": 1 }, name: "untallied", sparse: true },
    {
      key: { "doubt.since": 1, _id: 1 },
      name: "doubt",
      partialFilterExpression: { "doubt.since": { $exists: true } },
    },
    { key: { published_at: 1, _id: 1 }, name: "published", sparse: true },
  ],
  resolutions: [
    { key: { operation_id: 1 }, name: "operation", unique: true },
    {
      key: { open: 1, payout_id: 1 },
      name: "open",
      unique: true,
      partialFilterExpression: { open: true },
    },
    { key: { "owed.at": 1 }, name: "owed", sparse: true },
  ],
  sandbox_transfers: [{ key: { owed_at: 1 }, name: "owed", sparse: true }],
};

/** Limits that other processes set, and usages for the sweep. */
const velocityIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  velocity_limits: [{ key: { audit_sequence: 1 }, name: "set" }],
  velocity_usage: [{ key: { due_at: 1 }, name: "due" }],
};

/** Controls that other processes set. */
const controlIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  payout_controls: [{ key: { audit_sequence: 1 }, name: "set" }],
};

/** What waits for a second person. */
const approvalIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  proposals: [
    { key: { key: 1 }, name: "request", unique: true },
    { key: { created_at: -1, _id: -1 }, name: "list" },
    { key: { due_at: 1 }, name: "due", sparse: true },
  ],
};

/** Entries by what was done, and what calls owe to the trail. */
const auditIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  audit_entries: [{ key: { action: 1, _id: -1 }, name: "action" }],
  operations: [{ key: { "owed.due_at": 1 }, name: "owed", sparse: true }],
  accounts: [{ key: { head_due: 1 }, name: "head_due", sparse: true }],
};

/** Transfers that rails on chains work on; one nonce of a wallet is one transfer's. */
const chainIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  chain_transfers: [
    {
      key: { open: 1, state: 1, accepted_at: 1 },
      name: "open",
      partialFilterExpression: { open: { $exists: true } },
    },
    {
      key: { wallet: 1, nonce: 1 },
      name: "nonce",
      unique: true,
      partialFilterExpression: { nonce: { $exists: true } },
    },
  ],
};

/** Payments and files of rails of banks, by what is looked for and what answers name. */
const bankIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  bank_payments: [
    { key: { rail: 1, "plan.due_at": 1, _id: 1 }, name: "waiting", ...where({ state: "waiting" }) },
    { key: { rail: 1, owed: 1 }, name: "owed", ...where({ owed: true }) },
    { key: { rail: 1, file: 1 }, name: "file", ...where({ file: { $exists: true } }) },
    { key: { file: 1, state: 1 }, name: "file_state", ...where({ file: { $exists: true } }) },
    { key: { rail: 1, block: 1 }, name: "block", ...where({ block: { $exists: true } }) },
    { key: { rail: 1, trace: 1 }, name: "trace", ...where({ trace: { $exists: true } }) },
    { key: { uetr: 1 }, name: "uetr", unique: true },
    {
      key: { rail: 1, bank_reference: 1 },
      name: "bank_reference",
      ...where({ bank_reference: { $exists: true } }),
    },
  ],
  bank_files: [
    { key: { open: 1, created_at: 1 }, name: "open", ...where({ open: { $exists: true } }) },
    { key: { settling: 1 }, name: "settling", sparse: true },
    { key: { created_at: -1, _id: -1 }, name: "list" },
  ],
  bank_received: [
    { key: { open: 1, received_at: 1 }, name: "open", ...where({ open: { $exists: true } }) },
    { key: { rail: 1, seen: 1 }, name: "seen" },
  ],
  bank_balances: [{ key: { rail: 1, day: -1 }, name: "day" }],
  bank_findings: [
    { key: { created_at: -1, _id: -1 }, name: "list" },
    { key: { open: 1, created_at: -1, _id: -1 }, name: "open", ...where({ open: true }) },
  ],
};

function where(partialFilterExpression: object) {
  return { partialFilterExpression };
}

/** Payouts that wait for funds, and no others. */
const treasuryIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  payouts: [
    {
      key: { "progress.stage": 1, rail: 1, destination: 1 },
      name: "awaiting_funds",
      partialFilterExpression: { "progress.stage": "awaiting_funds" },
    },
  ],
};

/** Scheduled payouts: those that are due, and each merchant's. */
const scheduledIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  scheduled_payouts: [
    { key: { due_at: 1 }, name: "due", sparse: true },
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    { key: { merchant_id: 1, state: 1, created_at: -1, _id: -1 }, name: "list_state" },
  ],
};

/** What payouts are searched by. */
const searchIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  payouts: [
    {
      key: { merchant_id: 1, metadata: 1, created_at: -1, _id: -1 },
      name: "list_metadata",
      ...where({ metadata: { $exists: true } }),
    },
    {
      key: { merchant_id: 1, beneficiary_name: 1, created_at: -1, _id: -1 },
      name: "list_beneficiary_name",
      // Without regard to case and accents, as the list compares.
      collation: { locale: "en", strength: 1 },
    },
    {
      key: { merchant_id: 1, source: 1, source_minor: 1, created_at: -1, _id: -1 },
      name: "list_amount",
    },
  ],
};

/** Batches: those that run, and each merchant's; their lines, by batch. */
const batchIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  batches: [
    { key: { due_at: 1 }, name: "due", sparse: true },
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    { key: { merchant_id: 1, state: 1, created_at: -1, _id: -1 }, name: "list_state" },
  ],
  batch_lines: [
    { key: { batch_id: 1, line: 1 }, name: "line", unique: true },
    { key: { batch_id: 1, state: 1, line: 1 }, name: "line_state" },
  ],
};

/** Batches with events that are not published. */
const batchEventIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  batches: [{ key: { "events_owed.id": 1 }, name: "events_owed", sparse: true }],
};

/** Payouts of batches, and no others. */
const orderedIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  payouts: [
    {
      key: { merchant_id: 1, batch_id: 1, created_at: -1, _id: -1 },
      name: "list_batch_id",
      ...where({ batch_id: { $exists: true } }),
    },
  ],
};

/** Payments that a file has claimed and that do not know yet what became of it. */
const claimedIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  bank_payments: [
    {
      key: { rail: 1, state: 1, file: 1 },
      name: "claimed",
      ...where({ state: "filed", sealed: { $exists: true } }),
    },
  ],
};

/** Payouts with a reference, by what a repeated one has in common with them. */
const duplicateIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  payouts: [
    {
      key: { merchant_id: 1, duplicate_keys: 1, created_at: 1 },
      name: "duplicate",
      ...where({ duplicate_keys: { $exists: true } }),
    },
  ],
};

/** Orders by who made or approved them, those that a revocation stopped, and their events. */
const revocationIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  scheduled_payouts: [
    { key: { merchant_id: 1, "actor.id": 1, state: 1 }, name: "maker" },
    {
      key: { merchant_id: 1, "approval.actor.id": 1 },
      name: "approver",
      ...where({ "approval.actor.id": { $exists: true } }),
    },
    {
      key: { merchant_id: 1, stopped_for: 1, created_at: 1, _id: 1 },
      name: "stopped_for",
      ...where({ stopped_for: { $exists: true } }),
    },
    { key: { event_owed: 1 }, name: "event_owed", sparse: true },
  ],
  batches: [
    { key: { merchant_id: 1, "actor.id": 1, state: 1 }, name: "maker" },
    {
      key: { merchant_id: 1, "approval.actor.id": 1 },
      name: "approver",
      ...where({ "approval.actor.id": { $exists: true } }),
    },
    {
      key: { merchant_id: 1, stopped_for: 1, created_at: 1, _id: 1 },
      name: "stopped_for",
      ...where({ stopped_for: { $exists: true } }),
    },
  ],
};

/** Accounts whose money moved before heads were shipped: all are due once. */
async function shipAllHeads(db: Db): Promise<void> {
  const moved = { sequence: { $gt: 0 }, head_due: { $exists: false } };
  await db.collection("accounts").updateMany(moved, { $set: { head_due: true } });
}

/** The steps of this service's database, in order; a released one never changes. */
export const migrations: readonly Migration[] = [
  { name: "indexes of release 0.1", up: (db) => createIndexes(db, indexes) },
  { name: "indexes of velocity limits", up: (db) => createIndexes(db, velocityIndexes) },
  { name: "indexes of proposals", up: (db) => createIndexes(db, approvalIndexes) },
  { name: "indexes of the audit trail", up: (db) => createIndexes(db, auditIndexes) },
  { name: "ship the head of every account", up: shipAllHeads },
  { name: "indexes of transfers on chains", up: (db) => createIndexes(db, chainIndexes) },
  { name: "indexes of rails of banks", up: (db) => createIndexes(db, bankIndexes) },
  { name: "index of payouts that wait for funds", up: (db) => createIndexes(db, treasuryIndexes) },
  { name: "index of payout controls", up: (db) => createIndexes(db, controlIndexes) },
  { name: "indexes of scheduled payouts", up: (db) => createIndexes(db, scheduledIndexes) },
  { name: "indexes of searches for payouts", up: (db) => createIndexes(db, searchIndexes) },
  { name: "indexes of batches", up: (db) => createIndexes(db, batchIndexes) },
  { name: "index of events of batches", up: (db) => createIndexes(db, batchEventIndexes) },
  { name: "index of payouts by batch", up: (db) => createIndexes(db, orderedIndexes) },
  { name: "index of claimed bank payments", up: (db) => createIndexes(db, claimedIndexes) },
  { name: "index of repeated payouts", up: (db) => createIndexes(db, duplicateIndexes) },
  { name: "indexes of revoked orders", up: (db) => createIndexes(db, revocationIndexes) },
];
