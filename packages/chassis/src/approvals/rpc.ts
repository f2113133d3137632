import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import {
  type ApprovalService,
  ProposalSchema,
  ProposalState as ProposalStateEnum,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import {
  type Actor,
  Actor_Kind,
  type Mutation,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { callContext } from "../call-context.ts";
import { enumName, enumValue } from "../enum-names.ts";
import { merchantsService, readMerchantActor, readMutation } from "../rpc/mutation.ts";
import { orThrow } from "../rpc/refusal.ts";
import { supersededRefusal } from "./answers.ts";
import type { Approvals } from "./approvals.ts";
import {
  type Acting,
  approve,
  concluded,
  maySee,
  type Proposal,
  reject,
  stateAt,
  withdraw,
} from "./proposal.ts";
import type { ProposalStore, StoredProposal } from "./store.ts";

export type ApprovalRpcDeps = {
  readonly approvals: Approvals;
  readonly proposals: ProposalStore;
  readonly clock: Clock;
};

/** Serves `ApprovalService` for the proposals of one service. */
export function approvalRpc(deps: ApprovalRpcDeps): ServiceImpl<typeof ApprovalService> {
  const { approvals, proposals, clock } = deps;
  return {
    listProposals: async ({ state, waitingForCaller, subject, merchantId, actor, ...page }) => {
      const wanted = { state: enumName(ProposalStateEnum, state), subject };
      const waitingAt = waitingForCaller ? clock.now() : undefined;
      const { shown, ...rest } = await proposals.list(
        actingOf({ merchantId }, actor),
        { ...wanted, waitingAt },
        page,
      );
      return { proposals: shown.map((each) => proposalMessage(each, clock.now())), ...rest };
    },

    getProposal: async ({ proposalId, merchantId, actor }) => {
      const found = await proposals.read(proposalId);
      const acting = actingOf({ merchantId }, actor);
      const isShown = found !== undefined && maySee(found, acting);
      const proposal = orThrow(isShown ? found : refused("RECORD_NOT_FOUND"));
      return { proposal: proposalMessage(proposal, clock.now()) };
    },

    approveProposal: async (request) => {
      const { contentDigest } = request;
      const approved = await decide(deps, request, async (found, by) => {
        const answer = approve(found, contentDigest, by);
        if (isRefused(answer) || answer === "repeated") return answer;
        const isCurrent = await approvals.isCurrent(found);
        return isCurrent ? answer : concluded(found, "superseded", "", by.at);
      });
      const ended = approved.state === "approved" ? await approvals.finish(approved) : approved;
      if (ended.state === "superseded") orThrow(supersededRefusal);
      return { proposal: proposalMessage(ended, clock.now()) };
    },

    rejectProposal: async (request) => {
      const reason = orThrow(readReason(request.reason));
      const rejected = await decide(deps, request, (found, by) => reject(found, reason, by));
      return { proposal: proposalMessage(rejected, clock.now()) };
    },

    withdrawProposal: async (request) => {
      const withdrawn = await decide(deps, request, withdraw);
      return { proposal: proposalMessage(withdrawn, clock.now()) };
    },
  };
}

type Deciding = (found: Proposal, by: Parameters<typeof withdraw>[1]) => Awaitable;
type Awaitable = ReturnType<typeof withdraw> | Promise<ReturnType<typeof withdraw>>;

/** Applies a rule to a proposal and stores the result. Retries if another change came first. */
async function decide(
  { proposals, clock }: ApprovalRpcDeps,
  request: {
    readonly mutation?: Mutation | undefined;
    readonly proposalId: string;
    readonly merchantId: string;
  },
  rule: Deciding,
): Promise<StoredProposal> {
  const { mutation, proposalId: id } = request;
  const { operationId } = readMutation(mutation);
  const person = actingOf(request, mutation?.actor);
  for (;;) {
    const found = await proposals.read(id);
    const isShown = found !== undefined && maySee(found, person);
    const proposal = orThrow(isShown ? found : refused("RECORD_NOT_FOUND"));
    const changed = orThrow(await rule(proposal, { person, operationId, at: clock.now() }));
    if (changed === "repeated") return proposal;
    if (await proposals.change(proposal, changed)) {
      return orThrow((await proposals.read(id)) ?? refused("RECORD_NOT_FOUND"));
    }
  }
}

/**
 * Returns the calling person, or the merchant's actor for which the gateway calls. Other services
 * can't propose or decide.
 */
function actingOf(
  { merchantId }: { readonly merchantId: string },
  actor: Actor | undefined,
): Acting {
  const principal = callContext()?.principal;
  if (principal?.kind === "person" && merchantId === "") return principal;
  const ofMerchant = principal?.kind === "person" ? undefined : readMerchantActor(actor);
  if (ofMerchant !== undefined && merchantId !== "") return { merchantId, actor: ofMerchant };
  if (principal?.kind === "service" && principal.name === merchantsService)
    return orThrow(refused("INVALID_REQUEST", "merchant_id, actor: are required"));
  throw new ConnectError(
    "only a person, or a merchant's key or member, can read or decide proposals",
    Code.PermissionDenied,
  );
}

function proposalMessage(proposal: Proposal, now: Date) {
  const { proposed, decided, approvers } = proposal;
  return create(ProposalSchema, {
    ...proposal,
    reasons: [...proposal.reasons],
    state: enumValue(ProposalStateEnum, stateAt(proposal, now)),
    contentDigest: proposal.digest,
    approvers: approvers.map((role) => enumValue(RoleEnum, role)),
    proposedBy: { kind: enumValue(Actor_Kind, proposed.kind), id: proposed.by },
    ...(decided && { decidedBy: { kind: enumValue(Actor_Kind, decided.kind), id: decided.by } }),
    createdAt: timestampFromDate(proposed.at),
    expiresAt: timestampFromDate(proposal.expiresAt),
    updatedAt: timestampFromDate(proposal.updatedAt),
  });
}
