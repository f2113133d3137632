import type { AuditStore as Store } from "@disburse/chassis/audit/store.ts";
import type { AuditEntry as Entry } from "@disburse/chassis/audit/trail.ts";

/** The actions of operators that this service itself records. Rail packages record their own. */
export type AuditAction =
  | "payout.resolved"
  | "rail.paused"
  | "rail.resumed"
  | "velocity.set"
  | "controls.set";

export type AuditEntry = Entry<AuditAction>;
export type AuditStore = Store<AuditAction>;
