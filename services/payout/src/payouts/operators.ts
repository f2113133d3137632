import type { AuditStore as Store } from "@disburse/chassis/audit/store.ts";
import type { AuditEntry as Entry } from "@disburse/chassis/audit/trail.ts";

/** What an operator can do that goes into the audit trail. */
export type AuditAction =
  | "payout.resolved"
  | "rail.paused"
  | "rail.resumed"
  | "velocity.set"
  | "controls.set"
  | "nonce.cancelled"
  | "bank_file.resolved"
  | "bank_finding.handled";

/** An action in the audit trail. */
export type AuditEntry = Entry<AuditAction>;
/** This service's audit trail. */
export type AuditStore = Store<AuditAction>;
