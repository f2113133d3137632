import { createHash } from "node:crypto";
import type { ProposalState as StateEnum } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { EnumName } from "../enum-names.ts";
import type { Role } from "../principal.ts";
import type { StoredActor } from "../rpc/mutation.ts";

/** The enum names of `disburse.approval.v1.ProposalState`. */
export type ProposalState = EnumName<typeof StateEnum>;

/** A person and their roles, from the access token. */
export type ActingPerson = { readonly id: string; readonly roles: ReadonlySet<Role> };

/** A key or a member that acts for its merchant. */
export type ActingMerchant = { readonly merchantId: string; readonly actor: StoredActor };

/** The operator or the merchant's actor that reads or decides proposals. */
export type Acting = ActingPerson | ActingMerchant;

/** The change as JSON for people. `before` is empty for a new record. */
export type Difference = { readonly before: string; readonly after: string };

/**
 * The proposer: an operator, a merchant's key or member, or the service itself. Any person may
 * approve or reject a service's proposal.
 */
export type Proposer = {
  readonly kind: StoredActor["kind"];
  readonly by: string;
  /** The root of a key or a member, if it differs from `by`. */
  readonly root?: string | undefined;
  readonly roles: readonly Role[];
};

/** A request that needs or needed approval by another person. */
export type Proposal = Difference & {
  readonly id: string;
  /** `<service>/<method>` of the contract. */
  readonly rpc: string;
  /** "" for a request without a merchant. */
  readonly merchantId: string;
  readonly operationId: string;
  /** The id of the request's subject. "" if the request names none. */
  readonly subject: string;
  /** The request's digest (`contentOf`), which identifies a repeat. */
  readonly content: string;
  /**
   * The digest of the request and its difference. It ensures that only the change that the approver
   * read can run.
   */
  readonly digest: string;
  readonly request: Uint8Array;
  /** The reasons why a second person is needed. */
  readonly reasons: readonly string[];
  readonly approvers: readonly Role[];
  readonly proposed: Proposer & { readonly at: Date };
  readonly expiresAt: Date;
  readonly state: ProposalState;
  readonly decided?: Pick<Proposer, "kind" | "by"> & {
    readonly operationId: string;
    readonly at: Date;
  };
  /** The reason for a rejection or a failure. */
  readonly outcome: string;
  readonly updatedAt: Date;
};

/** Computes the digest of the request and its difference, which an approver decides on. */
export function digestOf(content: string, { before, after }: Difference): string {
  const decidedOn = JSON.stringify([content, before, after]);
  return createHash("sha256").update(decidedOn).digest("base64url");
}

type Refusal = Refused<"ACCESS_FORBIDDEN" | "INVALID_REQUEST">;
type By = { readonly person: Acting; readonly operationId: string; readonly at: Date };

const ownProposal = refused(
  "ACCESS_FORBIDDEN",
  "proposal_id: is your own proposal; another person must decide on it",
);
const notApprover = refused(
  "ACCESS_FORBIDDEN",
  "proposal_id: requires one of the proposal's approver roles",
);
const notProposer = refused(
  "ACCESS_FORBIDDEN",
  "proposal_id: belongs to another person; only its proposer can withdraw it",
);
const otherDigest = refused(
  "INVALID_REQUEST",
  "content_digest: does not match the proposal: read it again before you decide",
);

const notOpen = (state: ProposalState) =>
  refused("INVALID_REQUEST", `proposal_id: the proposal is ${state}`);

/** Returns the state at a given time. An open proposal expires without a write. */
export function stateAt({ state, expiresAt }: Proposal, now: Date): ProposalState {
  return state === "open" && now >= expiresAt ? "expired" : state;
}

/**
 * Approves a proposal. Returns `repeated` if the same person has approved it with the same
 * operation.
 */
export function approve(
  proposal: Proposal,
  digest: string,
  by: By,
): Proposal | "repeated" | Refusal {
  const refusal = deciderProblem(proposal, by.person);
  if (refusal !== undefined) return refusal;
  if (digest !== proposal.digest) return otherDigest;
  if (isRepeat(proposal, by) && proposal.state !== "rejected") return "repeated";
  const state = stateAt(proposal, by.at);
  return state === "open" ? decided(proposal, "approved", "", by) : notOpen(state);
}

/**
 * Rejects a proposal with a reason. Returns `repeated` if the same person has rejected it with the
 * same operation.
 */
export function reject(
  proposal: Proposal,
  reason: string,
  by: By,
): Proposal | "repeated" | Refusal {
  const refusal = deciderProblem(proposal, by.person);
  if (refusal !== undefined) return refusal;
  if (isRepeat(proposal, by) && proposal.state === "rejected") return "repeated";
  const state = stateAt(proposal, by.at);
  return state === "open" ? decided(proposal, "rejected", reason, by) : notOpen(state);
}

/** Withdraws a proposal by its own proposer. A repeated call changes nothing. */
export function withdraw(proposal: Proposal, { person, at }: By): Proposal | "repeated" | Refusal {
  if (!isProposer(proposal.proposed, person)) return notProposer;
  if (proposal.state === "withdrawn") return "repeated";
  const state = stateAt(proposal, at);
  return state === "open" ? { ...proposal, state: "withdrawn", updatedAt: at } : notOpen(state);
}

/** Returns the proposal with its final state, after it has run or if it can no longer run. */
export function concluded(
  proposal: Proposal,
  state: "executed" | "failed" | "superseded" | "expired",
  outcome: string,
  at: Date,
): Proposal {
  return { ...proposal, state, outcome, updatedAt: at };
}

export function maySee(proposal: Proposal, person: Acting): boolean {
  if ("merchantId" in person) return isOfMerchant(proposal, person);
  const isApprover = proposal.approvers.some((role) => person.roles.has(role));
  return isApprover || isProposer(proposal.proposed, person) || person.roles.has("auditor");
}

/** A merchant's own actors. */
export const merchantKinds: ReadonlySet<Proposer["kind"]> = new Set(["api_key", "member"]);

/** Returns true if one of the merchant's own actors created the proposal. */
function isOfMerchant(proposal: Proposal, { merchantId }: ActingMerchant): boolean {
  return proposal.merchantId === merchantId && merchantKinds.has(proposal.proposed.kind);
}

function deciderProblem(proposal: Proposal, person: Acting): Refusal | undefined {
  if (isProposer(proposal.proposed, person)) return ownProposal;
  const mayDecide =
    "merchantId" in person
      ? isOfMerchant(proposal, person)
      : proposal.approvers.some((role) => person.roles.has(role));
  return mayDecide ? undefined : notApprover;
}

/**
 * A merchant's actors with one root count as one. The ids of the same operator may differ in letter
 * case.
 */
function isProposer({ kind, by, root = by }: Proposer, person: Acting): boolean {
  if ("merchantId" in person) return merchantKinds.has(kind) && root === rootOfActor(person.actor);
  return kind === "operator" && by.toLowerCase() === person.id.toLowerCase();
}

function decider(person: Acting): Pick<Proposer, "kind" | "by"> {
  return "merchantId" in person
    ? { kind: person.actor.kind, by: person.actor.id }
    : { kind: "operator", by: person.id };
}

function isRepeat({ decided }: Proposal, { person, operationId }: By): boolean {
  const { kind, by } = decider(person);
  const isSame = decided?.kind === kind && decided.by === by;
  return isSame && decided.operationId === operationId;
}

function decided(
  proposal: Proposal,
  state: "approved" | "rejected",
  outcome: string,
  { person, operationId, at }: By,
): Proposal {
  return {
    ...proposal,
    state,
    outcome,
    decided: { ...decider(person), operationId, at },
    updatedAt: at,
  };
}
