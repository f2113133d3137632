import {
  baseline,
  createIndexes,
  type Indexes,
  type Migration,
} from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes } from "@disburse/chassis/mongo/service-indexes.ts";

const indexes: Indexes = {
  ...auditIndexes,
  // For the two list indexes, see records/list.ts.
  beneficiaries: [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    {
      key: { "screening.next_at": 1 },
      name: "pending",
      partialFilterExpression: { "screening.status": "pending" },
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
    { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
  ],
  depositors: [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    {
      key: { "screening.next_at": 1 },
      name: "pending",
      partialFilterExpression: { "screening.status": "pending" },
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
  merchants: [
    { key: { operation_id: 1 }, name: "operation", unique: true },
    { key: { created_at: -1, _id: -1 }, name: "list" },
  ],
  beneficiary_links: [
    { key: { token_hash: 1 }, name: "token", unique: true },
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    { key: { due_at: 1 }, name: "due", sparse: true },
    {
      key: { merchant_id: 1, expires_at: 1 },
      name: "open",
      partialFilterExpression: { state: "open" },
    },
  ],
};

const searchIndexes: Indexes = {
  // The entries are hashes of words, references, metadata and accounts: beneficiaries/search.ts.
  beneficiaries: [{ key: { search: 1, created_at: -1, _id: -1 }, name: "search" }],
};

/** In order. Never change a released migration. */
export const migrations: readonly Migration[] = [
  baseline(1, indexes),
  {
    name: "beneficiary search",
    up: (db) => createIndexes(db, searchIndexes),
  },
];
