import { fromJsonString } from "@bufbuild/protobuf";
import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import {
  ListProposalsRequestSchema,
  ListProposalsResponseSchema,
  type Proposal,
  ProposalSchema,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  ApprovalAmountSchema,
  type ApprovalRules,
  ApprovalRulesSchema,
  SetApprovalRulesRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  approveProposal,
  rejectProposal,
  setApprovalRules,
} from "@disburse/forms/bodies/approval-rules.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import {
  bodyRequest,
  type Call,
  type Clients,
  get,
  post,
  type Resource,
} from "../openapi/route.ts";
import { soundBody, textOf } from "./own-body.ts";
import { actor, decidedBy } from "./parts/actor.ts";

const amount = f.record(
  ApprovalAmountSchema,
  "ApprovalAmount",
  "An amount from which payouts await approval.",
  {
    currency_code: f.text("Source currency of the payouts.", "USD"),
    minimum: f.decimal("Payouts of this amount or more await approval.", "5000.00"),
    window_seconds: f.whole(
      "Number of seconds within which payouts to one account, or by one actor, add up towards `minimum`; 0 if each payout counts alone.",
      3_600,
    ),
  },
);

const rules = f.record(
  ApprovalRulesSchema,
  "ApprovalRuleSet",
  "The rules by which your payouts await approval.",
  {
    amounts: f.listOf("At most one for each currency; empty for none.", f.ref(amount)),
    new_beneficiary_days: f.whole(
      "Payouts await approval if their beneficiary is newer than this number of days; 0 for no such rule.",
      3,
    ),
    approve_batches: f.from(
      "batches",
      f.flag("True if an actor other than its creator must approve a batch.", true),
    ),
    approval_lasts_seconds: f.from(
      ({ lastsSeconds = 0 }) => lastsSeconds,
      f.whole("Number of seconds after which an undecided approval expires.", 86_400),
    ),
  },
);

/** The payout service writes the rules of a proposal as JSON of its contract. */
const rulesIn = (text: string): ApprovalRules => fromJsonString(ApprovalRulesSchema, text);

const proposal = f.record(
  ProposalSchema,
  "RulesProposal",
  "Approval rules that loosen the present ones, and await another actor's approval.",
  {
    id: f.id("prp", "Proposal id."),
    state: f.word(
      ProposalState,
      "`open`: awaits a decision. `executed`: approved, and in force. `approved`: approved, and in force within a minute. `superseded`: the rules have changed since. `failed`, `rejected`, `withdrawn` and `expired` changed nothing.",
    ),
    reasons: f.listOf(
      "What the proposal loosens, in words.",
      f.text("One rule.", "amounts in USD need approval from 10000.00, not 5000.00"),
    ),
    before: f.from(({ before }) => rulesIn(before), f.ref(rules)),
    after: f.from(({ after }) => rulesIn(after), f.ref(rules)),
    digest: f.from(
      "contentDigest",
      f.text(
        "SHA-256 over the proposal and the rules that it changes, in base64url.",
        "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
      ),
    ),
    operator_decides: f.from(
      ({ approvers }) => approvers.length > 0,
      f.flag("True if an operator may decide too, because you have no other admin.", false),
    ),
    proposed_by: f.ref(actor),
    ...decidedBy,
    outcome: f.text("Why it was rejected or failed; otherwise empty.", ""),
    created_at: f.moment("When it was created."),
    expires_at: f.moment("When it expires, if no one decides: after a day."),
    updated_at: f.moment("When it last changed."),
  },
);

const proposalPage = f.pageOf(
  ListProposalsResponseSchema,
  "RulesProposalPage",
  "proposals",
  proposal,
);

type RulesChange = {
  readonly rules?: ApprovalRules | undefined;
  readonly proposal?: Proposal | undefined;
};

const change = f.component<RulesChange>(
  "ApprovalRulesChange",
  "The outcome of a change of approval rules.",
  {
    rules: f.from("rules", f.ref(rules)),
    proposal: f.from(
      ({ proposal }: RulesChange) => proposal,
      f.optional(f.ref(proposal)) as f.Kind<Proposal | undefined>,
    ),
  },
);

const path = "/api/v1/approval-rules";
const proposals = `${path}/proposals` as const;

/** Names the merchant's actor to the service with the proposals. */
const asked = ({ request, change }: Pick<Call, "request" | "change">) => ({
  merchantId: request.merchantId,
  actor: change.mutation.actor,
});

/** Sets the rules. If they loosen the present ones, returns those with the new proposal. */
async function setRules(call: Call, { payout, approvals, admins }: Clients): Promise<RulesChange> {
  const { merchantId, actor } = asked(call);
  const isAlone = !(await admins.hasOther(merchantId, actor?.root || (actor?.id ?? "")));
  const request = bodyRequest(call, SetApprovalRulesRequestSchema);
  // A repeat has the same body. The role of the person may have changed since the first request.
  const mutation = { ...call.change.mutation, fingerprint: call.fingerprint };
  try {
    return await payout.setApprovalRules({ ...request, mutation, operatorDecides: isAlone });
  } catch (error) {
    const pending = readApprovalRequired(error);
    if (pending === undefined) throw error;
    const { proposalId } = pending;
    const [inForce, found] = await Promise.all([
      payout.getApprovalRules({ merchantId }),
      approvals.getProposal({ merchantId, actor, proposalId }),
    ]);
    return { rules: inForce.rules, proposal: found.proposal };
  }
}

const decisionRefusals = [
  "INVALID_REQUEST",
  "RECORD_NOT_FOUND",
  "ACCESS_FORBIDDEN",
  "SERVICE_UNAVAILABLE",
] as const;

export const approvalRules: Resource = {
  scope: "payout",
  tag: "Approval rules",
  components: [amount, rules, proposal, proposalPage, change],
  routes: [
    get("getApprovalRules", path, {
      summary: "Get approval rules",
      description: "The rules by which your payouts await approval, as they are in force.",
      data: rules,
      answer: async (call, { payout }) => (await payout.getApprovalRules(call.request)).rules,
    }),
    post("setApprovalRules", path, {
      summary: "Set approval rules",
      description:
        "Replaces your approval rules. Rules that are at least as strict as the present ones are in force within two seconds. Otherwise nothing changes yet: the response has a `proposal`, which another actor approves within a day. A higher or removed amount, a shorter window, fewer days, batches without approval and a longer time for approvals are loosening, even if other rules become stricter. Payouts that already await approval keep waiting, whatever changes.\n\nOne actor is a root key or a member of your team, with every key and member made from it. If you have no other admin, an operator of the platform decides. Needs the scope `payout:control`.",
      body: { form: setApprovalRules },
      data: change,
      scope: "payout:control",
      needsFreshSignIn: true,
      refusals: ["INVALID_REQUEST"],
      answer: setRules,
    }),
    get("listRulesProposals", proposals, {
      summary: "List proposals of approval rules",
      description: "Your proposals to loosen the approval rules, newest first.",
      query: q.queryOf(ListProposalsRequestSchema, {
        ...q.page,
        state: q.word(ProposalState, "Only proposals in this state."),
        waiting_for_caller: q.oneOf(
          { true: true, false: false },
          "`true`: only open proposals of other actors, which you may decide.",
        ),
      }),
      data: proposalPage,
      answer: (call, { approvals }) => approvals.listProposals({ ...call.request, ...asked(call) }),
    }),
    get("getRulesProposal", `${proposals}/:proposalId`, {
      summary: "Get proposal of approval rules",
      description: "One proposal to loosen the approval rules.",
      data: proposal,
      answer: async (call, { approvals }) =>
        (await approvals.getProposal({ ...call.request, ...asked(call) })).proposal,
    }),
    post("approveRulesProposal", `${proposals}/:proposalId/approve`, {
      summary: "Approve proposal of approval rules",
      description:
        "Puts the proposed rules in force. Only another actor than the proposer can approve. `INVALID_REQUEST`: the proposal is no longer open, or the rules have changed since it was made. Needs the scope `payout:control`.",
      body: { form: approveProposal },
      data: proposal,
      scope: "payout:control",
      needsFreshSignIn: true,
      refusals: decisionRefusals,
      answer: async (call, { approvals }) => {
        const values = soundBody(call);
        if (isRefused(values)) return values;
        const contentDigest = textOf(values, "digest");
        return (await approvals.approveProposal({ ...call.change, contentDigest })).proposal;
      },
    }),
    post("rejectRulesProposal", `${proposals}/:proposalId/reject`, {
      summary: "Reject proposal of approval rules",
      description: "Ends a proposal of another actor. Needs the scope `payout:control`.",
      body: { form: rejectProposal },
      data: proposal,
      scope: "payout:control",
      refusals: decisionRefusals,
      answer: async (call, { approvals }) => {
        const values = soundBody(call);
        if (isRefused(values)) return values;
        const reason = textOf(values, "reason");
        return (await approvals.rejectProposal({ ...call.change, reason })).proposal;
      },
    }),
    post("withdrawRulesProposal", `${proposals}/:proposalId/withdraw`, {
      summary: "Withdraw proposal of approval rules",
      description: "Ends your own proposal. Needs the scope `payout:control`.",
      data: proposal,
      scope: "payout:control",
      refusals: decisionRefusals,
      answer: async ({ change }, { approvals }) =>
        (await approvals.withdrawProposal(change)).proposal,
    }),
  ],
};
