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

/** The steps of this service's database, in order; a released one never changes. */
export const migrations: readonly Migration[] = [
  { name: "indexes of release 0.1", up: (db) => createIndexes(db, indexes) },
];
