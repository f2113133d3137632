import type { Indexes } from "./migrations.ts";

/** Indexes of the audit trail, and of operations with pending audit entries. */
export const auditIndexes: Indexes = {
  audit_entries: [
    { key: { key: 1 }, name: "key", unique: true },
    { key: { subject: 1, _id: -1 }, name: "subject" },
    { key: { action: 1, _id: -1 }, name: "action" },
  ],
  operations: [{ key: { "pending.due_at": 1 }, name: "pending", sparse: true }],
};

export const proposalIndexes: Indexes = {
  proposals: [
    { key: { key: 1 }, name: "request", unique: true },
    { key: { created_at: -1, _id: -1 }, name: "list" },
    { key: { due_at: 1 }, name: "due", sparse: true },
  ],
};
