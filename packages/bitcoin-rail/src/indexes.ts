import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";

export const indexes: Indexes = {
  bitcoin_transfers: [
    {
      key: { open: 1, accepted_at: 1 },
      name: "open",
      partialFilterExpression: { open: { $exists: true } },
    },
  ],
  bitcoin_batches: [
    {
      key: { open: 1, created_at: 1 },
      name: "open",
      partialFilterExpression: { open: { $exists: true } },
    },
    { key: { transactions: 1 }, name: "transactions" },
  ],
};
