import { baseline, type Indexes, type Migration } from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";

const indexes: Indexes = {
  ...auditIndexes,
  ...proposalIndexes,
  corridors: [
    {
      key: { source: 1, destination: 1 },
      name: "pair",
      unique: true,
      // Most documents of the collection are openings, which have no pair.
      partialFilterExpression: { source: { $exists: true } },
    },
    { key: { merchant_id: 1 }, name: "merchant", sparse: true },
  ],
  quotes: [{ key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true }],
  rates: [
    { key: { corridor_id: 1, as_of: -1, received_at: -1 }, name: "latest" },
    { key: { operation_id: 1 }, name: "operation", unique: true },
    { key: { corridor_id: 1, as_of: -1, received_at: -1, _id: -1 }, name: "history" },
  ],
};

/** The migrations of the quote database, in order. Never change a released migration. */
export const migrations: readonly Migration[] = [baseline(1, indexes)];
