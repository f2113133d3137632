import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import type { Command } from "../table/command.ts";
import { auditExportCommand } from "./audit-export.ts";

const columns = ["sequence", "created_at", "actor.id", "action", "detail"];

/** What people did, from the audit trails. */
export const auditCommands: readonly Command[] = [
  {
    name: "audit list",
    summary: "what people did to payouts, rails and limits, newest first",
    details: "It fails where an entry was changed or removed.",
    examples: ["audit list", "audit list --subject po_01k…"],
    method: PayoutOperationsService.method.listAuditEntries,
    options: [{ name: "subject", field: "subject", about: "to this payout, rail or merchant" }],
    show: { list: "entries", columns: [...columns.slice(0, 4), "subject", "detail"] },
  },
  {
    name: "audit reviews",
    summary: "what people decided about alerts, newest first",
    details: "It fails where an entry was changed or removed.",
    examples: ["audit reviews", "audit reviews --alert alr_01k…"],
    method: ComplianceReviewService.method.listReviewEntries,
    options: [{ name: "alert", field: "alert_id", about: "about this alert" }],
    show: { list: "entries", columns: [...columns.slice(0, 4), "alert_id", "detail"] },
  },
  auditExportCommand,
];
