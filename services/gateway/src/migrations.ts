import { baseline, type Indexes, type Migration } from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";

const indexes: Indexes = {
  ...auditIndexes,
  ...proposalIndexes,
  api_keys: [
    { key: { "operation.id": 1 }, unique: true },
    { key: { merchant_id: 1, created_at: 1 } },
    { key: { "operation.secret_until": 1 } },
    // Finds revoked keys and removed members whose orders are not settled yet.
    { key: { "stop.due_at": 1 }, name: "stop_due", sparse: true },
  ],
  idempotency_keys: [{ key: { expires_at: 1 } }, { key: { "progress.place": 1 }, sparse: true }],
  members: [
    { key: { "stop.due_at": 1 }, name: "stop_due", sparse: true },
    { key: { "operation.id": 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: 1 }, name: "team" },
    // Partial, because removed members have no hash.
    {
      key: { merchant_id: 1, email_hash: 1 },
      name: "email",
      unique: true,
      partialFilterExpression: { email_hash: { $exists: true } },
    },
    { key: { email_hash: 1 }, name: "invited", sparse: true },
    { key: { "subject.id": 1, "subject.issuer": 1 }, name: "subject", sparse: true },
    {
      key: { merchant_id: 1, "subject.id": 1, "subject.issuer": 1 },
      name: "membership",
      unique: true,
      partialFilterExpression: { "subject.id": { $exists: true } },
    },
  ],
  sessions: [
    { key: { member_id: 1 }, name: "member", sparse: true },
    { key: { created_at: 1 }, name: "created" },
    { key: { seen_at: 1 }, name: "seen" },
  ],
  list_settings: [{ key: { person: 1 }, name: "person" }],
  request_log: [
    { key: { merchant_id: 1, caller: 1, last_at: -1 }, name: "list" },
    {
      key: { merchant_id: 1, caller: 1, last_at: -1 },
      name: "failed",
      partialFilterExpression: { has_failed: true },
    },
    { key: { merchant_id: 1, "requests.request_id": 1, last_at: -1 }, name: "request" },
    { key: { last_at: 1 }, name: "ended" },
  ],
};

/** The migrations of this database, in order. Never change a released one. */
export const migrations: readonly Migration[] = [baseline(1, indexes)];
