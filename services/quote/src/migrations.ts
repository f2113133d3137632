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

/** The steps of this service's database, in order; a released one never changes. */
export const migrations: readonly Migration[] = [
  { name: "indexes of release 0.1", up: (db) => createIndexes(db, indexes) },
];
