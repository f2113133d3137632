import { createIndexes, type Migration } from "@disburse/chassis/mongo/migrations.ts";
import type { IndexDescription } from "mongodb";

/** The indexes of release 0.1. */
const indexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  api_keys: [
    { key: { "operation.id": 1 }, unique: true },
    { key: { merchant_id: 1, created_at: 1 } },
    { key: { "operation.secret_until": 1 } },
  ],
  idempotency_keys: [{ key: { expires_at: 1 } }, { key: { "progress.place": 1 }, sparse: true }],
};

/** What waits for a second person. */
const approvalIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  proposals: [
    { key: { key: 1 }, name: "request", unique: true },
    { key: { created_at: -1, _id: -1 }, name: "list" },
    { key: { due_at: 1 }, name: "due", sparse: true },
  ],
};

/** What operators did, by whom, and what calls owe to it. */
const auditIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  audit_entries: [
    { key: { key: 1 }, name: "key", unique: true },
    { key: { subject: 1, _id: -1 }, name: "subject" },
    { key: { action: 1, _id: -1 }, name: "action" },
  ],
  operations: [{ key: { "owed.due_at": 1 }, name: "owed", sparse: true }],
};

/** The people of merchants' teams, and the sessions of all people. */
const peopleIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  members: [
    { key: { "operation.id": 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: 1 }, name: "team" },
    // Absent of those who were removed.
    {
      key: { merchant_id: 1, email_hash: 1 },
      name: "email",
      unique: true,
      partialFilterExpression: { email_hash: { $exists: true } },
    },
    { key: { email_hash: 1 }, name: "invited", sparse: true },
    { key: { "subject.id": 1, "subject.issuer": 1 }, name: "subject", sparse: true },
  ],
  sessions: [
    { key: { member_id: 1 }, name: "member", sparse: true },
    { key: { created_at: 1 }, name: "created" },
    { key: { seen_at: 1 }, name: "seen" },
  ],
};

/** One membership of a person in a team: two would count as two actors. */
const membershipIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  members: [
    {
      key: { merchant_id: 1, "subject.id": 1, "subject.issuer": 1 },
      name: "membership",
      unique: true,
      partialFilterExpression: { "subject.id": { $exists: true } },
    },
  ],
};

/** Revoked keys and removed members whose orders are not settled yet. */
const stopIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  api_keys: [{ key: { "stop.due_at": 1 }, name: "stop_due", sparse: true }],
  members: [{ key: { "stop.due_at": 1 }, name: "stop_due", sparse: true }],
};

/** What merchants' requests were. */
const requestIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  request_log: [
    { key: { merchant_id: 1, caller: 1, last_at: -1 }, name: "list" },
    {
      key: { merchant_id: 1, caller: 1, last_at: -1 },
      name: "failed",
      partialFilterExpression: { has_failed: true },
    },
    { key: { merchant_id: 1, "requests.request_id": 1, last_at: -1 }, name: "request" },
    { key: { last_at: 1 }, name: "ended" },
  ],
};

/** The steps of this service's database, in order; a released one never changes. */
export const migrations: readonly Migration[] = [
  { name: "indexes of release 0.1", up: (db) => createIndexes(db, indexes) },
  { name: "indexes of proposals", up: (db) => createIndexes(db, approvalIndexes) },
  { name: "indexes of the audit trail", up: (db) => createIndexes(db, auditIndexes) },
  { name: "indexes of members and sessions", up: (db) => createIndexes(db, peopleIndexes) },
  { name: "indexes of the request log", up: (db) => createIndexes(db, requestIndexes) },
  { name: "index of memberships", up: (db) => createIndexes(db, membershipIndexes) },
  { name: "indexes of revocations", up: (db) => createIndexes(db, stopIndexes) },
];
