import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";

export const indexes: Indexes = {
  bank_payments: [
    { key: { rail: 1, "plan.due_at": 1, _id: 1 }, name: "waiting", ...where({ state: "waiting" }) },
    {
      key: { rail: 1, report_pending: 1 },
      name: "report_pending",
      ...where({ report_pending: true }),
    },
    { key: { rail: 1, file: 1 }, name: "file", ...where({ file: { $exists: true } }) },
    { key: { file: 1, state: 1 }, name: "file_state", ...where({ file: { $exists: true } }) },
    { key: { rail: 1, block: 1 }, name: "block", ...where({ block: { $exists: true } }) },
    { key: { rail: 1, trace: 1 }, name: "trace", ...where({ trace: { $exists: true } }) },
    { key: { uetr: 1 }, name: "uetr", unique: true },
    {
      key: { rail: 1, bank_reference: 1 },
      name: "bank_reference",
      ...where({ bank_reference: { $exists: true } }),
    },
    {
      key: { rail: 1, state: 1, file: 1 },
      name: "claimed",
      ...where({ state: "filed", sealed: { $exists: true } }),
    },
  ],
  bank_files: [
    { key: { open: 1, created_at: 1 }, name: "open", ...where({ open: { $exists: true } }) },
    { key: { settling: 1 }, name: "settling", sparse: true },
    { key: { created_at: -1, _id: -1 }, name: "list" },
  ],
  bank_received: [
    { key: { open: 1, received_at: 1 }, name: "open", ...where({ open: { $exists: true } }) },
    { key: { rail: 1, seen: 1 }, name: "seen" },
  ],
  bank_balances: [{ key: { rail: 1, day: -1 }, name: "day" }],
  bank_findings: [
    { key: { created_at: -1, _id: -1 }, name: "list" },
    { key: { open: 1, created_at: -1, _id: -1 }, name: "open", ...where({ open: true }) },
  ],
};

function where(partialFilterExpression: object) {
  return { partialFilterExpression };
}
