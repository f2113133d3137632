import {
  baseline,
  createIndexes,
  type Indexes,
  type Migration,
} from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";

const indexes: Indexes = {
  ...auditIndexes,
  ...proposalIndexes,
  // The index of each list starts with the merchant and ends with the sort order of the list. A
  // list of all states merges four index scans. The index `work` finds the next due delivery of an
  // endpoint without scanning other endpoints.
  deliveries: [
    { key: { merchant_id: 1, state: 1, created_at: -1, _id: -1 }, name: "list" },
    {
      key: { merchant_id: 1, endpoint_id: 1, state: 1, created_at: -1, _id: -1 },
      name: "list_endpoint",
    },
    {
      key: { merchant_id: 1, transaction_id: 1, created_at: -1, _id: -1 },
      name: "list_transaction",
    },
    // For replays, which read only originals. The other indexes would also scan redeliveries.
    {
      key: { merchant_id: 1, endpoint_id: 1, state: 1, created_at: 1, _id: 1 },
      name: "originals",
      partialFilterExpression: { replay: 0 },
    },
    { key: { state: 1, endpoint_id: 1, due_at: 1 }, name: "work" },
    { key: { line: 1, sequence: 1, event_id: 1, replay: 1 }, name: "line", unique: true },
    // This index is nearly empty. So it is cheap to search for held deliveries after each
    // settlement.
    { key: { line: 1 }, name: "held", partialFilterExpression: { held: true } },
    { key: { recheck_at: 1 }, name: "recheck", sparse: true },
    {
      key: { merchant_id: 1, operation_id: 1 },
      name: "operation",
      unique: true,
      partialFilterExpression: { operation_id: { $exists: true } },
    },
    { key: { expires_at: 1 }, name: "expiry", sparse: true },
    // Most deliveries are leased when they are inserted, so they never enter this index.
    {
      key: { created_at: 1 },
      name: "untried",
      partialFilterExpression: { state: "pending", deadline: null },
    },
    // Deliveries whose first attempt is acknowledged never enter this index.
    {
      key: { deadline: 1 },
      name: "tried",
      partialFilterExpression: { state: "pending", attempts_count: { $gte: 1 } },
    },
    {
      key: { endpoint_id: 1, due_at: 1 },
      name: "retries",
      partialFilterExpression: { state: "pending", attempts_count: { $gte: 1 } },
    },
    // This index is nearly always empty.
    { key: { gone: 1 }, name: "gone", partialFilterExpression: { gone: true } },
  ],
  // The index finds endpoints that the notifier itself paused.
  endpoints: [
    { key: { merchant_id: 1, deleted_at: 1, created_at: 1, _id: 1 }, name: "active" },
    // Unique, because an operation of a merchant belongs to one endpoint.
    { key: { merchant_id: 1, "operations.id": 1 }, name: "operation", unique: true },
    // Unique, so that concurrent registrations can't exceed the maximum of a merchant's endpoints.
    {
      key: { merchant_id: 1, place: 1 },
      name: "place",
      unique: true,
      partialFilterExpression: { place: { $exists: true } },
    },
    {
      key: { paused_for: 1, merchant_id: 1 },
      name: "paused_for",
      partialFilterExpression: { paused_for: { $type: "string" } },
    },
  ],
  events: [
    {
      key: { merchant_id: 1, transaction_type: 1, transaction_id: 1, sequence: 1 },
      name: "sequence",
    },
    {
      key: { merchant_id: 1, operation_id: 1 },
      name: "operation",
      unique: true,
      partialFilterExpression: { operation_id: { $exists: true } },
    },
    { key: { expires_at: 1 }, name: "expiry" },
    {
      key: { merchant_id: 1, position: 1 },
      name: "fed",
      unique: true,
      partialFilterExpression: { position: { $exists: true } },
    },
    // Finds events without a position, in the order in which positions are assigned.
    {
      key: { merchant_id: 1, transaction_type: 1, position: 1, received_at: 1, sequence: 1 },
      name: "waiting",
    },
  ],
  replays: [
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    { key: { state: 1, due_at: 1 }, name: "work" },
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    // Unique, because two concurrent replays together would exceed the rate of each.
    {
      key: { endpoint_id: 1 },
      name: "running",
      unique: true,
      partialFilterExpression: { state: "running" },
    },
    { key: { expires_at: 1 }, name: "expiry", sparse: true },
  ],
  endpoint_health: [{ key: { last_failed_at: -1, shard: 1 }, name: "failed_last" }],
  gaps: [{ key: { kind: 1, failures: 1, due_at: 1 }, name: "due" }],
};

/** Both indexes are nearly empty, because few endpoints are failing. */
const reportIndexes: Indexes = {
  endpoint_health: [
    {
      key: { failing_since: 1 },
      name: "failing",
      partialFilterExpression: { failing_days: { $gt: 0 } },
    },
    {
      key: { "report.state": 1 },
      name: "report",
      partialFilterExpression: { "report.state": { $exists: true } },
    },
  ],
};

/** There are as many documents as merchants and members. */
const mailIndexes: Indexes = {
  mail_digests: [
    { key: { due_at: 1 }, name: "due" },
    { key: { "round.tries": 1 }, name: "begun", sparse: true },
  ],
  mail_recipients: [
    { key: { due_at: 1 }, name: "due" },
    { key: { "mail.created_at": 1 }, name: "unsent", sparse: true },
  ],
};

/** The migrations in order. Never change a released one. */
export const migrations: readonly Migration[] = [
  baseline(1, indexes),
  { name: "failure reports", up: (db) => createIndexes(db, reportIndexes) },
  { name: "e-mails", up: (db) => createIndexes(db, mailIndexes) },
];
