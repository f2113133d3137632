import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import type { Platform } from "@disburse/platform/platform.ts";

/**
 * Connects an operator who approves others' proposals at the payout service. `close` ends the
 * connection.
 */
export function openSecondPerson(platform: Pick<Platform, "url" | "trust">) {
  const { rpc, close } = connectService(ApprovalService, platform.url("payout"), {
    identity: platform.trust.person("second"),
  });
  return {
    approve: async (call: Promise<unknown>): Promise<void> => {
      try {
        await call;
      } catch (error) {
        const required = readApprovalRequired(error);
        if (required === undefined) throw error;
        const { proposalId, contentDigest } = required;
        const mutation = { operationId: crypto.randomUUID() };
        await rpc.approveProposal({ mutation, proposalId, contentDigest });
      }
    },
    close,
  };
}
