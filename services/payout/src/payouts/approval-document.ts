import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Approval, ApprovalReason } from "./rules/approval.ts";

/** The approval of a payout; `decision` is absent until there is one. */
export type StoredApproval = {
  reasons: readonly ApprovalReason[];
  digest: string;
  expires_at: Date;
  decision?: {
    as: "approved" | "rejected" | "expired";
    at: Date;
    /** Absent where no one decided in time, as is the operation. */
    actor?: StoredActor;
    operation_id?: string;
    /** Of a rejection. */
    reason?: string;
  };
};

/** The approval of a new payout as it is stored: where it has one already, with it. */
export function storedApproval({ reasons, digest, expiresAt, decision }: Approval): StoredApproval {
  const stored = { reasons, digest, expires_at: expiresAt };
  if (decision?.as !== "approved") return stored;
  const { as, at, by: actor, operationId: operation_id } = decision;
  return { ...stored, decision: { as, at, actor, operation_id } };
}

/** A stored approval as the rules see it. */
export function toApproval({
  reasons,
  digest,
  expires_at: expiresAt,
  decision,
}: StoredApproval): Approval {
  return { reasons, digest, expiresAt, decision: decision && toDecision(decision) };
}

/** A stored decision as the rules see it. */
export function toDecision(stored: NonNullable<StoredApproval["decision"]>): Approval["decision"] {
  const { as, at, actor, operation_id: operationId, reason = "" } = stored;
  if (as === "expired") return { as, at };
  if (actor === undefined || operationId === undefined) throw new Error("a decision of no one");
  const by = { by: actor, operationId, at };
  return as === "approved" ? { as, ...by } : { as, ...by, reason };
}
