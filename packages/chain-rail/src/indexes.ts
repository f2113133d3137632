import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";

export const indexes: Indexes = {
  chain_transfers: [
    {
      key: { open: 1, state: 1, accepted_at: 1 },
      name: "open",
      partialFilterExpression: { open: { $exists: true } },
    },
    {
      key: { wallet: 1, nonce: 1 },
      name: "nonce",
      unique: true,
      partialFilterExpression: { nonce: { $exists: true } },
    },
  ],
};
