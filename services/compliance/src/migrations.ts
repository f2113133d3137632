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
  // The longest-waiting alerts come first.
  alerts: [
    { key: { state: 1, waiting_since: 1, _id: 1 }, name: "state" },
    { key: { assignee: 1, state: 1, waiting_since: 1, _id: 1 }, name: "assignee" },
    { key: { merchant_id: 1, state: 1, waiting_since: 1, _id: 1 }, name: "merchant" },
    { key: { record_id: 1, state: 1, waiting_since: 1, _id: 1 }, name: "record" },
    {
      key: { "actions.operation": 1 },
      name: "operation",
      unique: true,
      partialFilterExpression: { "actions.operation": { $exists: true } },
    },
    { key: { "pending_audit.at": 1 }, name: "pending_audit", sparse: true },
    { key: { verdict_due: 1 }, name: "verdict_due", sparse: true },
  ],
  list_imports: [
    {
      key: { operation_id: 1 },
      name: "operation",
      unique: true,
      partialFilterExpression: { live: true },
    },
    { key: { swept: 1 }, name: "sweep" },
    { key: { list: 1, started_at: -1, _id: -1 }, name: "list" },
    { key: { started_at: -1, _id: -1 }, name: "newest" },
  ],
  // Ids are time-ordered. Each index of a list ends with the id, which is the order of its pages.
  screenings: [
    {
      // Includes `opens`, because an operation may have two screenings: the first, which opens the
      // subject, may be superseded by another process.
      key: { kind: 1, operation_id: 1, merchant_id: 1, record_id: 1, opens: 1 },
      name: "operation_of_record",
      unique: true,
    },
    { key: { merchant_id: 1, _id: -1 }, name: "merchant" },
    { key: { merchant_id: 1, verdict: 1, _id: -1 }, name: "merchant_verdict" },
    { key: { record_id: 1, _id: -1 }, name: "record" },
    { key: { verdict: 1, _id: -1 }, name: "verdict" },
  ],
  subjects: [
    { key: { stamp: 1, _id: 1 }, name: "stamp" },
    { key: { keys: 1 }, name: "keys" },
    { key: { entries: 1 }, name: "entries" },
    { key: { compared_at: 1, _id: 1 }, name: "compared_id" },
    { key: { verdict: 1 }, name: "verdict" },
    { key: { "recording._id": 1 }, name: "recording", sparse: true },
    { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
  ],
};

/** Filters and finds alerts that are decided together (docs/decisions/0085). */
const caseIndexes: Indexes = {
  alerts: [
    { key: { list: 1, state: 1, waiting_since: 1, _id: 1 }, name: "list" },
    // Alerts of the same party of any merchant, and of the same list entry.
    { key: { party_key: 1, state: 1, waiting_since: 1, _id: 1 }, name: "party" },
    { key: { entry_uid: 1, list: 1, state: 1, waiting_since: 1, _id: 1 }, name: "entry" },
  ],
};

/** Migrations of this service's database, in order. Never change a released migration. */
export const migrations: readonly Migration[] = [
  baseline(1, indexes),
  { name: "cases", up: (db) => createIndexes(db, caseIndexes) },
];
