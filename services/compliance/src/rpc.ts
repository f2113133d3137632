import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import {
  bindOperations,
  type OperationBindings,
  type ReadEntry,
} from "@disburse/chassis/mutations/bindings.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  ComplianceService,
  type ImportListRequest,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";

/** Tells a comparison from an import. */
function comparison(first: object): ReadEntry | undefined {
  const { part } = first as ImportListRequest;
  return part.case === "header" && part.value.compareOnly
    ? { subject: part.value.list, detail: { compareOnly: true } }
    : undefined;
}

/** Binds the RPC handlers. proto/disburse/compliance/v1 has the contract. */
export function servedRpcs(handlers: {
  readonly operations: OperationBindings;
  readonly rpc: ServiceImpl<typeof ComplianceService>;
  readonly review: ServiceImpl<typeof ComplianceReviewService>;
  readonly sandbox: ServiceImpl<typeof ComplianceSandboxService>;
  readonly approvals: ServiceApprovals["rpc"];
}) {
  const { operations } = handlers;
  // These RPCs don't need the stored results of the operations collection, because screenings and
  // alerts store their own requests.
  const screening = bindOperations(ComplianceService, handlers.rpc, operations, {
    own: ["screenWallet", "screenParty"],
    noted: ["getScreening"],
    readStreams: { importList: comparison },
  });
  const review = bindOperations(ComplianceReviewService, handlers.review, operations, {
    own: ["assignAlert", "decideAlert", "reopenAlert", "commentAlert", "addAlertFile"],
    noted: ["getAlert", "getAlertFile", "exportAlert"],
  });
  return {
    services: [
      ComplianceService,
      ComplianceReviewService,
      ApprovalService,
      ComplianceSandboxService,
    ],
    routes: (router: ConnectRouter) => {
      router.service(ComplianceService, screening);
      router.service(ComplianceReviewService, review);
      router.service(ApprovalService, handlers.approvals);
      router.service(ComplianceSandboxService, handlers.sandbox);
    },
  };
}
