import { createIndexes, type Migration } from "@disburse/chassis/mongo/migrations.ts";
import type { IndexDescription } from "mongodb";

/** The indexes of release 0.1. */
const indexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  // records/list.ts says what the two indexes of a list are for.
  beneficiaries: [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    {
      key: { "screening.next_at": 1 },
      name: "pending",
      partialFilterExpression: { "screening.status": "pending" },
    },
    {
      key: { schema_version: 1, _id: 1 },
      name: "unwatched",
      partialFilterExpression: { schema_version: 1 },
    },
    {
      key: {
        merchant_id: 1,
        archived: 1,
        "screening.status": 1,
        kind: 1,
        account_type: 1,
        created_at: -1,
        _id: -1,
      },
      name: "list",
    },
    {
      key: {
        merchant_id: 1,
        destination_currency: 1,
        archived: 1,
        "screening.status": 1,
        kind: 1,
        account_type: 1,
        created_at: -1,
        _id: -1,
      },
      name: "list_apart",
    },
  ],
  depositors: [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    {
      key: { "screening.next_at": 1 },
      name: "pending",
      partialFilterExpression: { "screening.status": "pending" },
    },
    {
      key: { schema_version: 1, _id: 1 },
      name: "unwatched",
      partialFilterExpression: { schema_version: 1 },
    },
    { key: { merchant_id: 1, "screening.status": 1, created_at: -1, _id: -1 }, name: "list" },
    {
      key: {
        merchant_id: 1,
        "fields.depositor_type": 1,
        "screening.status": 1,
        created_at: -1,
        _id: -1,
      },
      name: "list_apart",
    },
  ],
};

/** The steps of this service's database, in order; a released one never changes. */
export const migrations: readonly Migration[] = [
  { name: "indexes of release 0.1", up: (db) => createIndexes(db, indexes) },
];
