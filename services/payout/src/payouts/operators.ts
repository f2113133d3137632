import type { AuditStore as Store } from "@disburse/chassis/audit/store.ts";
import type { AuditEntry as Entry } from "@disburse/chassis/audit/trail.ts";

export type AuditAction =
  | "payout.resolved"
  | "rail.paused"
  | "rail.resumed"
  | "velocity.set"
  | "controls.set"
  | "nonce.cancelled"
  | "bank_file.resolved"
  | "bank_finding.handled";

export type AuditEntry = Entry<AuditAction>;
export type AuditStore = Store<AuditAction>;
