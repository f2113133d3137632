import { rootOfActor } from "@disburse/kernel/actor.ts";

/** The merchant's rule that requires approval. */
export type ApprovalReason = "amount" | "new_beneficiary";

/** An approval given before the payout exists: that of its batch. */
export type GivenApproval = {
  readonly by: Who;
  readonly operationId: string;
  readonly at: Date;
};

/** The approval that a payout needs, and its lifetime. `given` is set if its batch was approved. */
export type ApprovalNeed = {
  readonly reasons: readonly ApprovalReason[];
  readonly lastsMs: number;
  readonly given?: GivenApproval | undefined;
};

export type Who = {
  readonly kind: "api_key" | "member" | "operator" | "service";
  readonly id: string;
  /** For a key or a member: the id of its root, if different. */
  readonly root?: string;
};

/**
 * Actors of the same root count as one: none of them may approve a payout or batch that another of
 * them created. Ids of keys and members differ in form, so a key can have a member as its root.
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

/** An expired approval has no actor. */
export type ApprovalDecision = { readonly at: Date } & (
  | { readonly as: "approved"; readonly by: Who; readonly operationId: string }
  | {
      readonly as: "rejected";
      readonly by: Who;
      readonly operationId: string;
      /** The reason for the merchant's users. */
      readonly reason: string;
    }
  | { readonly as: "expired" }
);

/** The approval of a payout. `digest` binds it to the payout's content. */
export type Approval = {
  readonly reasons: readonly ApprovalReason[];
  readonly digest: string;
  readonly expiresAt: Date;
  readonly decision?: ApprovalDecision | undefined;
};
