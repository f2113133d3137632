import {
  baseline,
  createIndexes,
  type Indexes,
  type Migration,
} from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";
import { ledgerIndexes } from "@disburse/ledger/indexes.ts";
import { railIndexes } from "./rails/packages.ts";

const indexes: Indexes = {
  ...auditIndexes,
  ...proposalIndexes,
  ...railIndexes,
  ...ledgerIndexes,
  payouts: [
    // Each list filter has an index that also provides the list's sort order.
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
      key: { merchant_id: 1, "order.details.reference_id": 1, created_at: -1, _id: -1 },
      name: "list_reference_id",
    },
    {
      key: { merchant_id: 1, "order.quote_id": 1, created_at: -1, _id: -1 },
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
    // An operation belongs to one quote.
    { key: { "operations.id": 1 }, name: "operation", unique: true },
    // A sparse index for polls. A payout without further work is not in it.
    { key: { work_due_at: 1 }, name: "work", sparse: true },
    { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
    {
      key: { "exception.since": 1, _id: 1 },
      name: "exception",
      partialFilterExpression: { "exception.since": { $exists: true } },
    },
    { key: { published_at: 1, _id: 1 }, name: "published", sparse: true },
    {
      key: { "progress.stage": 1, rail: 1, destination: 1 },
      name: "awaiting_funds",
      partialFilterExpression: { "progress.stage": "awaiting_funds" },
    },
    {
      key: { merchant_id: 1, "order.details.metadata": 1, created_at: -1, _id: -1 },
      name: "list_metadata",
      ...where({ "order.details.metadata": { $exists: true } }),
    },
    {
      key: { merchant_id: 1, beneficiary_name: 1, created_at: -1, _id: -1 },
      name: "list_beneficiary_name",
      // The index ignores case and accents, like the list does.
      collation: { locale: "en", strength: 1 },
    },
    {
      key: { merchant_id: 1, source: 1, source_minor: 1, created_at: -1, _id: -1 },
      name: "list_amount",
    },
    {
      key: { merchant_id: 1, "order.batch_id": 1, created_at: -1, _id: -1 },
      name: "list_batch_id",
      ...where({ "order.batch_id": { $exists: true } }),
    },
    // Contains only payouts that were paid. The write that settles a payout adds its key.
    {
      key: { merchant_id: 1, "progress.reference": 1, created_at: -1, _id: -1 },
      name: "list_reference",
      ...where({ "progress.reference": { $exists: true } }),
    },
    {
      key: { merchant_id: 1, duplicate_keys: 1, created_at: 1 },
      name: "duplicate",
      ...where({ duplicate_keys: { $exists: true } }),
    },
  ],
  sandbox_transfers: [{ key: { pending_at: 1 }, name: "pending", sparse: true }],
  velocity_limits: [{ key: { audit_sequence: 1 }, name: "set" }],
  velocity_usage: [{ key: { due_at: 1 }, name: "due" }],
  payout_controls: [{ key: { audit_sequence: 1 }, name: "set" }],
  scheduled_payouts: [
    // Finds orders by creator or approver, and orders that a revocation stopped.
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
    { key: { pending_event: 1 }, name: "pending_event", sparse: true },
    { key: { due_at: 1 }, name: "due", sparse: true },
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    { key: { merchant_id: 1, state: 1, created_at: -1, _id: -1 }, name: "list_state" },
  ],
  batches: [
    // Finds batches by creator or approver, and batches that a revocation stopped.
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
    { key: { due_at: 1 }, name: "due", sparse: true },
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    {
      key: { merchant_id: 1, reference_id: 1, created_at: -1, _id: -1 },
      name: "list_reference_id",
    },
    { key: { merchant_id: 1, state: 1, created_at: -1, _id: -1 }, name: "list_state" },
    { key: { "pending_events.id": 1 }, name: "pending_events", sparse: true },
  ],
  batch_lines: [
    { key: { batch_id: 1, line: 1 }, name: "line", unique: true },
    { key: { batch_id: 1, state: 1, line: 1 }, name: "line_state" },
  ],
};

function where(partialFilterExpression: object) {
  return { partialFilterExpression };
}

/** The payouts that wait for their account's balance (docs/decisions/0079). */
const waitingIndexes: Indexes = {
  waiting_payouts: [
    { key: { due_at: 1 }, name: "due", sparse: true },
    // The oldest of each account comes first.
    {
      key: { account_id: 1, created_at: 1, _id: 1 },
      name: "in_line",
      ...where({ "balance.in_line": true }),
    },
    { key: { "balance.pending_versions": 1 }, name: "pending_versions", sparse: true },
    // Finds payouts by creator or approver, and payouts that a revocation stopped.
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

/** Finds ended scheduled payouts whose reservation is open (docs/decisions/0081). */
const reservedOrders: Indexes = {
  scheduled_payouts: [
    { key: { state: 1 }, name: "reserved", ...where({ reserved: { $exists: true } }) },
  ],
};

/** Finds the events of waiting payouts: of their holds, and those that were published. */
const waitingEvents: Indexes = {
  waiting_payouts: [
    { key: { pending_event: 1 }, name: "pending_event", sparse: true },
    { key: { published_at: 1, _id: 1 }, name: "published", sparse: true },
  ],
};

const isListed = { "balance.listed": true } as const;

/**
 * The lists of waiting payouts (docs/decisions/0078). Their keys have the mark, so that an index
 * alone finds the last payout that a page may read.
 */
const listedWaits: Indexes = {
  waiting_payouts: [
    {
      key: { merchant_id: 1, "balance.listed": 1, created_at: -1, _id: -1 },
      name: "list",
      ...where(isListed),
    },
    {
      key: {
        merchant_id: 1,
        "balance.listed": 1,
        source: 1,
        "balance.quoted.source_minor": 1,
        created_at: -1,
        _id: -1,
      },
      name: "list_amount",
      ...where(isListed),
    },
    {
      key: {
        merchant_id: 1,
        "balance.listed": 1,
        "balance.quoted.beneficiary.name": 1,
        created_at: -1,
        _id: -1,
      },
      name: "list_beneficiary_name",
      collation: { locale: "en", strength: 1 },
      ...where(isListed),
    },
  ],
};

/** The migrations of this service's database, in order. Never change a released migration. */
export const migrations: readonly Migration[] = [
  baseline(1, indexes),
  { name: "waiting payouts", up: (db) => createIndexes(db, waitingIndexes) },
  { name: "reserved orders", up: (db) => createIndexes(db, reservedOrders) },
  { name: "events of waiting payouts", up: (db) => createIndexes(db, waitingEvents) },
  { name: "lists of waiting payouts", up: (db) => createIndexes(db, listedWaits) },
];
