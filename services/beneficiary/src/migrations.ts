import { createIndexes, type Migration } from "@disburse/chassis/mongo/migrations.ts";
import type { Db, IndexDescription } from "mongodb";

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

/** What operators did, by whom, and what calls owe to it. */
const auditIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  audit_entries: [
    { key: { key: 1 }, name: "key", unique: true },
    { key: { subject: 1, _id: -1 }, name: "subject" },
    { key: { action: 1, _id: -1 }, name: "action" },
  ],
  operations: [{ key: { "owed.due_at": 1 }, name: "owed", sparse: true }],
};

/** The registry of merchants. */
const merchantIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  merchants: [
    { key: { operation_id: 1 }, name: "operation", unique: true },
    { key: { created_at: -1, _id: -1 }, name: "list" },
  ],
};

/** Changes of screenings that are not published: nearly empty. */
const outboxIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  beneficiaries: [{ key: { "outbox.at": 1 }, name: "outbox", sparse: true }],
};

/** Links: by the hash of their token, each merchant's, and those that were submitted. */
const linkIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  beneficiary_links: [
    { key: { token_hash: 1 }, name: "token", unique: true },
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    { key: { due_at: 1 }, name: "due", sparse: true },
  ],
};

/** The open links of a merchant, counted at each new one. */
const openLinkIndexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  beneficiary_links: [
    {
      key: { merchant_id: 1, expires_at: 1 },
      name: "open",
      partialFilterExpression: { state: "open" },
    },
  ],
};

/** Merchants that are registered by one command. */
const registeredAtOnce = 500;

type Settled = { _id: string; created_at: Date };
type Registered = { _id: string };

/** Registers every merchant that has settings; one that is registered already stays as it is. */
async function registerMerchants(db: Db): Promise<void> {
  await createIndexes(db, merchantIndexes);
  const settings = db.collection<Settled>("merchant_settings");
  const merchants = db.collection<Registered>("merchants");
  let after = "";
  for (;;) {
    const found = await settings
      .find({ _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(registeredAtOnce)
      .toArray();
    const last = found.at(-1);
    if (last === undefined) return;
    const writes = found.map(({ _id, created_at }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $setOnInsert: {
            ...{ schema_version: 1, name: "", operation_id: `settings of ${_id}` },
            ...{ created_at, updated_at: created_at },
          },
        },
        upsert: true,
      },
    }));
    await merchants.bulkWrite(writes, { ordered: false });
    after = last._id;
  }
}

/** The steps of this service's database, in order; a released one never changes. */
export const migrations: readonly Migration[] = [
  { name: "indexes of release 0.1", up: (db) => createIndexes(db, indexes) },
  { name: "merchants: those that have settings", up: registerMerchants },
  { name: "indexes of the audit trail", up: (db) => createIndexes(db, auditIndexes) },
  { name: "index of screenings to publish", up: (db) => createIndexes(db, outboxIndexes) },
  { name: "indexes of links", up: (db) => createIndexes(db, linkIndexes) },
  { name: "index of open links", up: (db) => createIndexes(db, openLinkIndexes) },
];
