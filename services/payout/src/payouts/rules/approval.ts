import { rootOfActor } from "@disburse/kernel/actor.ts";

/** Why a payout needs approval: its merchant's rules name it. */
export type ApprovalReason = "amount" | "new_beneficiary";

/** An approval that a payout has before it is made: that of its batch. */
export type GivenApproval = {
  readonly by: Who;
  readonly operationId: string;
  readonly at: Date;
};

/** That a payout needs approval, and how long it waits for it, unless it was given before. */
export type ApprovalNeed = {
  readonly reasons: readonly ApprovalReason[];
  readonly lastsMs: number;
  readonly given?: GivenApproval | undefined;
};

/** Who executed a payout, or decides on it. */
export type Who = {
  readonly kind: "api_key" | "member" | "operator" | "service";
  readonly id: string;
  /** Of a key or a member: the id of its root, where that is another one. */
  readonly root?: string;
};

/**
 * The maker of a payout or batch does not approve it, nor does another key or member of the same
 * root. Ids of keys and members differ in form, so a key can have a member as its root.
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

/** What became of an approval; no one decided on one that expired. */
export type ApprovalDecision = { readonly at: Date } & (
  | { readonly as: "approved"; readonly by: Who; readonly operationId: string }
  | {
      readonly as: "rejected";
      readonly by: Who;
      readonly operationId: string;
      /** For the merchant's people. */
      readonly reason: string;
    }
  | { readonly as: "expired" }
);

/** The approval of a payout, bound to what it is for. */
export type Approval = {
  readonly reasons: readonly ApprovalReason[];
  readonly digest: string;
  readonly expiresAt: Date;
  readonly decision?: ApprovalDecision | undefined;
};
