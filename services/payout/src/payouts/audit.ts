import type { AuditStore as Store } from "@disburse/chassis/audit/store.ts";
import type { AuditRecord as Deed, AuditEntry as Entry } from "@disburse/chassis/audit/trail.ts";

/** What a person of the operator's staff can do that is kept for good. */
export type AuditAction =
  | "resolution.proposed"
  | "resolution.confirmed"
  | "resolution.withdrawn"
  | "rail.paused"
  | "rail.resumed";

export type AuditRecord = Deed<AuditAction>;
export type AuditEntry = Entry<AuditAction>;
export type AuditStore = Store<AuditAction>;
