import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import {
  ApprovalService,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import type { LivePlatform } from "@disburse/testkit/live-platform.ts";
import { expect } from "vitest";

export async function proposalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  return readApprovalRequired(error) ?? expect.unreachable(String(error));
}

export function approvers(platform: Pick<LivePlatform, "url" | "trust">, service: ServiceName) {
  const open = new Map<string, ReturnType<typeof connectService<typeof ApprovalService>>>();
  const as = (person: string) => {
    const known =
      open.get(person) ??
      connectService(ApprovalService, platform.url(service), {
        identity: platform.trust.person(person),
      });
    open.set(person, known);
    return known.rpc;
  };
  return {
    as,
    /** Approves the refused call's proposal. Returns the proposal's final state. */
    approve: async (person: string, call: Promise<unknown>) => {
      const { proposalId, contentDigest } = await proposalOf(call);
      const mutation = { operationId: crypto.randomUUID() };
      const { proposal } = await as(person).approveProposal({
        ...{ mutation, proposalId, contentDigest },
      });
      return proposal;
    },
    approveOpen: async (person: string) => {
      const { proposals } = await as(person).listProposals({ state: ProposalState.OPEN });
      for (const { id: proposalId, contentDigest } of proposals) {
        const mutation = { operationId: crypto.randomUUID() };
        await as(person).approveProposal({ mutation, proposalId, contentDigest });
      }
      return proposals;
    },
    close: () => open.forEach(({ close }) => void close()),
  };
}
