import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { RequestLogService } from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";

/** The gateway's own RPCs. Their contract is in proto/disburse/gateway/v1. */
export function servedRpcs(handlers: {
  readonly keyService: ServiceImpl<typeof KeyService>;
  readonly teamService: ServiceImpl<typeof TeamService>;
  readonly requestLogService: ServiceImpl<typeof RequestLogService>;
  readonly approvals: Pick<ServiceApprovals, "rpc">;
}) {
  return {
    services: [KeyService, TeamService, RequestLogService, ApprovalService],
    routes: (router: ConnectRouter) => {
      router.service(KeyService, handlers.keyService);
      router.service(TeamService, handlers.teamService);
      router.service(RequestLogService, handlers.requestLogService);
      router.service(ApprovalService, handlers.approvals.rpc);
    },
  };
}
