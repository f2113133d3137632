import { createIndexes, type Migration } from "@disburse/chassis/mongo/migrations.ts";
import type { IndexDescription } from "mongodb";

/** The indexes of release 0.1. */
const indexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  corridors: [{ key: { source: 1, destination: 1 }, name: "pair", unique: true }],
  merchant_corridors: [{ key: { merchant_id: 1 }, name: "merchant" }],
  quotes: [{ key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true }],
  rates: [
    { key: { corridor_id: 1, as_of: -1, received_at: -1 }, name: "latest" },
    { key: { operation_id: 1 }, name: "operation", unique: true },
  ],
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

/** The rates of a corridor as they are listed. */
const rateIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  rates: [{ key: { corridor_id: 1, as_of: -1, received_at: -1, _id: -1 }, name: "history" }],
};

/** The steps of this service's database, in order; a released one never changes. */
export const migrations: readonly Migration[] = [
  { name: "indexes of release 0.1", up: (db) => createIndexes(db, indexes) },
  { name: "indexes of proposals", up: (db) => createIndexes(db, approvalIndexes) },
  { name: "indexes of the audit trail", up: (db) => createIndexes(db, auditIndexes) },
  { name: "index of rates' history", up: (db) => createIndexes(db, rateIndexes) },
];
