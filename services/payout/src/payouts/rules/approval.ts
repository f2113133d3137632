import { rootOfActor } from "@disburse/kernel/actor.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** The merchant's rule that requires approval. */
export type ApprovalReason = "amount" | "new_beneficiary";

/** The approval of a batch, which was given before its payouts exist. */
export type GivenApproval = {
  readonly by: Who;
  readonly operationId: string;
  readonly at: Date;
};

/**
 * The reasons why a payout needs approval, and the approval's lifetime. `given` is set if the
 * payout's batch was approved.
 */
export type ApprovalNeed = {
  readonly reasons: readonly ApprovalReason[];
  readonly lastsMs: number;
  readonly given?: GivenApproval | undefined;
};

export type Who = {
  readonly kind: "api_key" | "member" | "operator" | "service";
  readonly id: string;
  /**
   * For a key or a member: the id of the actor that it descends from. Absent if the actor is its
   * own root.
   */
  readonly root?: string;
};

/**
 * Returns true if both actors count as one. For a merchant, these are actors with the same root:
 * none may approve a payout or batch that another of them created. Key ids and member ids differ in
 * form, so a key's root may be a member.
 */
export function isSameActor(one: Who, other: Who): boolean {
  const isMerchants = isOfMerchant(one);
  if (isMerchants !== isOfMerchant(other)) return false;
  if (isMerchants) return rootOfActor(one) === rootOfActor(other);
  return one.kind === other.kind && one.id === other.id;
}

function isOfMerchant({ kind }: Who): boolean {
  return kind === "api_key" || kind === "member";
}

/** The end of an approval. An expiry has no actor. */
export type ApprovalDecision = { readonly at: Date } & (
  | { readonly as: "approved"; readonly by: Who; readonly operationId: string }
  | {
      readonly as: "rejected";
      readonly by: Who;
      readonly operationId: string;
      /** The reason, as shown to the merchant's users. */
      readonly reason: string;
    }
  | { readonly as: "expired" }
);

/** The approval that a payout needs. `digest` is the hash of the content to approve. */
export type Approval = {
  readonly reasons: readonly ApprovalReason[];
  readonly digest: string;
  readonly expiresAt: Date;
  readonly decision?: ApprovalDecision | undefined;
};

/** Refuses an approval of content that has another digest. An empty `approved` means any content. */
export function otherDigest(
  record: "batch" | "payout" | "scheduled payout",
  digest: string,
  approved: string,
): Refused<"STATE_NOT_REACHABLE"> | undefined {
  if (approved === "" || approved === digest) return undefined;
  return refused(
    "STATE_NOT_REACHABLE",
    `The ${record}'s digest is ${digest}, but you approve ${approved}. Review the ${record} again.`,
  );
}

/** Refuses a decision whose time has ended. A sweep then expires the record. */
export function approvalExpired(
  record: "batch" | "payout" | "scheduled payout",
): Refused<"NOT_AWAITING_APPROVAL"> {
  const detail = `The ${record} is no longer awaiting_approval: the time for approval has ended.`;
  return refused("NOT_AWAITING_APPROVAL", detail);
}
