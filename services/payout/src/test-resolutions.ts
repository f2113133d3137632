import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import type { ApprovalRequired } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { TestPlatform } from "./test-platform.ts";

/** Builds a mutation by an operator, with a new operation id by default. */
export function personally(person: string, operationId = crypto.randomUUID() as string) {
  return { operationId, actor: { kind: Actor_Kind.OPERATOR as Actor_Kind, id: person } };
}

type By = ReturnType<typeof personally>;

const rejected = {
  outcome: RailOutcome.REJECTED,
  transactionReference: "",
  reason: "the bank's statement of the day",
};

/** Creates two operators who resolve payouts. By default, Ada proposes and Bob approves. */
export function resolvers({ operatorRpc, proposalsRpc }: Operated) {
  const propose = async (
    payoutId: string,
    change: object = {},
    mutation: By = personally("ada"),
  ): Promise<ApprovalRequired> => {
    const request = { mutation, payoutId, ...rejected, ...change };
    const answer = await operatorRpc.resolvePayout(request).catch((error: unknown) => {
      const required = readApprovalRequired(error);
      if (required === undefined) throw error;
      return required;
    });
    if ("proposalId" in answer) return answer;
    throw new Error("a payout was resolved without the approval of a second operator");
  };
  const approve = async (
    { proposalId, contentDigest }: ApprovalRequired,
    mutation: By = personally("bob"),
  ) => {
    const decision = { mutation, proposalId, contentDigest };
    return (await proposalsRpc.approveProposal(decision)).proposal;
  };
  return {
    propose,
    approve,
    resolve: async (payoutId: string, change: object = {}) =>
      approve(await propose(payoutId, change)),
  };
}

type Operated = Pick<TestPlatform, "operatorRpc" | "proposalsRpc">;
