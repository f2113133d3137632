import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";

export const ledgerIndexes: Indexes = {
  accounts: [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: 1, _id: 1 }, name: "list" },
    { key: { dirty: 1 }, name: "dirty", sparse: true },
    { key: { head_due: 1 }, name: "head_due", sparse: true },
  ],
  ledger_entries: [
    { key: { account_id: 1, sequence: -1 }, name: "statement", unique: true },
    { key: { account_id: 1, step: 1, sequence: -1 }, name: "statement_step" },
  ],
};
