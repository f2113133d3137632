import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import {
  ApprovalService,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import type { TestPlatform } from "@disburse/testkit/platform.ts";
import { expect } from "vitest";

/** The proposal that a call was refused with, since it needs a second person. */
export async function proposalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  return readApprovalRequired(error) ?? expect.unreachable(String(error));
}

/** Persons who decide proposals of a service; `close` ends their connections. */
export function approvers(platform: TestPlatform, service: ServiceName) {
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
    /** Approves what a call was refused with; answers with the proposal as it ended. */
    approve: async (person: string, call: Promise<unknown>) => {
      const { proposalId, contentDigest } = await proposalOf(call);
      const mutation = { operationId: crypto.randomUUID() };
      const { proposal } = await as(person).approveProposal({
        ...{ mutation, proposalId, contentDigest },
      });
      return proposal;
    },
    /** Approves all that is open. */
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
