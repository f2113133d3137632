import type { Failure } from "@disburse/kernel/failure.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { RailStatus } from "@disburse/rail/report.ts";

/**
 * The state of a payout. In the stages `concluding` and `returning`, the outcome is decided but the
 * money has not moved yet.
 */
export type Progress =
  /** Not queued: the merchant must approve the payout first. */
  | { readonly stage: "awaiting_approval" }
  | { readonly stage: "queued" }
  /** Not sent: the rail's account lacks funds. */
  | { readonly stage: "awaiting_funds" }
  /** Written before the rail is called. From then on the rail may have the payout. */
  | { readonly stage: "submitting" }
  | { readonly stage: "processing" }
  /** The rail doesn't know the outcome. `asked` is the number of responses that said so. */
  | { readonly stage: "unknown"; readonly asked: number }
  /** Written before the rail is asked to withdraw the transfer. From then on the rail decides. */
  | { readonly stage: "cancelling" }
  | { readonly stage: "concluding"; readonly outcome: Conclusion }
  | { readonly stage: "settled"; readonly reference: string }
  | ({ readonly stage: "rejected" } & Failed)
  | ({ readonly stage: "cancelled" } & Unapproved)
  | ({ readonly stage: "returning"; readonly reference: string } & ReturnedPayment)
  /** `reference` is the reference of the payment that was returned. */
  | ({ readonly stage: "returned"; readonly reference: string } & ReturnedPayment);

/** The reason why the payout was not approved. Absent if the merchant cancelled the payout. */
type Unapproved = { readonly because?: "approval_rejected" | "approval_expired" };

/** Absent if the rail gave no reason. */
type Failed = { readonly failure?: Failure };

/**
 * A returned payment. `short` is the amount that did not come back, as decimal text in the
 * payment's currency.
 */
type ReturnedPayment = Failed & { readonly short?: string };

/** A decided outcome. With `returned`, the rail has reported that a settled payment came back. */
export type Conclusion =
  | ({
      readonly kind: "settled";
      readonly reference: string;
      readonly returned?: true;
    } & ReturnedPayment)
  | ({ readonly kind: "rejected" } & Failed)
  /** Cancelled before a rail had the payout, or after the rail withdrew it. */
  | ({ readonly kind: "cancelled" } & Unapproved);

const publicStatuses = {
  awaiting_approval: { status: "initiated", subStatus: "awaiting_approval" },
  queued: { status: "initiated", subStatus: "queued" },
  awaiting_funds: { status: "initiated", subStatus: "awaiting_funds" },
  submitting: { status: "initiated", subStatus: "processing" },
  processing: { status: "initiated", subStatus: "processing" },
  unknown: { status: "initiated", subStatus: "unknown" },
  cancelling: { status: "initiated", subStatus: "processing" },
  concluding: { status: "initiated", subStatus: "processing" },
  settled: { status: "succeeded", subStatus: "settled" },
  returning: { status: "succeeded", subStatus: "settled" },
  rejected: { status: "failed", subStatus: "rejected" },
  returned: { status: "failed", subStatus: "returned" },
  cancelled: { status: "failed", subStatus: "cancelled" },
} as const satisfies Readonly<Record<Progress["stage"], object>>;

export type PayoutStatus = (typeof publicStatuses)[Progress["stage"]]["status"];

export const everyStage = Object.keys(publicStatuses) as readonly Progress["stage"][];

export function publicStatusOf({ stage }: Pick<Progress, "stage">) {
  return publicStatuses[stage];
}

/**
 * Returns the transaction hash or bank reference that the merchant sees, or "" unless the payout
 * has succeeded.
 */
export function visibleReference(progress: Progress): string {
  return progress.stage === "settled" || progress.stage === "returning" ? progress.reference : "";
}

/**
 * Applies a rail's status to a payout. Refuses a status that contradicts an earlier one, because no
 * guess may move money.
 */
export function applyRailStatus(
  progress: Progress,
  status: RailStatus,
): Progress | "unchanged" | Refused<"INVALID_REQUEST"> {
  switch (progress.stage) {
    case "submitting":
    case "processing":
    case "unknown":
      return applyToOpen(progress, status);
    case "cancelling":
      return isOpen(status) ? "unchanged" : applyToOpen(progress, status);
    case "concluding":
      if (status.kind === "returned" && progress.outcome.kind === "settled") {
        if (progress.outcome.returned === true) return "unchanged";
        const outcome = { ...progress.outcome, returned: true, ...failedBy(status) } as const;
        return { stage: "concluding", outcome };
      }
      return status.kind === kindAtRail(progress.outcome) || isOpen(status)
        ? "unchanged"
        : contradiction(progress, status);
    case "settled":
      if (status.kind === "returned") {
        return { stage: "returning", reference: progress.reference, ...failedBy(status) };
      }
      return status.kind === "settled" || isOpen(status)
        ? "unchanged"
        : contradiction(progress, status);
    case "returning":
    case "returned":
      return status.kind === "returned" || status.kind === "settled"
        ? "unchanged"
        : contradiction(progress, status);
    case "rejected":
      return status.kind === "rejected" ? "unchanged" : contradiction(progress, status);
    case "cancelled":
      return status.kind === "rejected" || status.kind === "not_received"
        ? "unchanged"
        : contradiction(progress, status);
    case "awaiting_approval":
    case "queued":
    case "awaiting_funds":
      return contradiction(progress, status);
  }
}

/**
 * Returns the rail's status for an outcome. A cancelled payout counts as rejected at the rail,
 * because it is not paid.
 */
function kindAtRail({ kind }: Conclusion): RailStatus["kind"] {
  return kind === "cancelled" ? "rejected" : kind;
}

function isOpen(status: RailStatus): boolean {
  return status.kind === "accepted" || status.kind === "unknown" || status.kind === "not_received";
}

function applyToOpen(progress: Progress, status: RailStatus): Progress | "unchanged" {
  switch (status.kind) {
    case "accepted":
      return progress.stage === "processing" ? "unchanged" : { stage: "processing" };
    case "settled":
      return { stage: "concluding", outcome: { kind: "settled", reference: status.reference } };
    case "rejected":
      return { stage: "concluding", outcome: { kind: "rejected", ...failedBy(status) } };
    case "unknown": {
      const asked = progress.stage === "unknown" ? progress.asked + 1 : 1;
      return { stage: "unknown", asked };
    }
    case "not_received":
      return progress.stage === "submitting" ? "unchanged" : { stage: "submitting" };
    case "returned": {
      const reference = status.reference ?? "";
      const outcome = { kind: "settled", reference, returned: true, ...failedBy(status) } as const;
      return { stage: "concluding", outcome };
    }
  }
}

function failedBy({ failure }: Failed): Failed {
  return failure === undefined ? {} : { failure };
}

function contradiction(progress: Progress, status: RailStatus): Refused<"INVALID_REQUEST"> {
  const { subStatus } = publicStatusOf(progress);
  return refused(
    "INVALID_REQUEST",
    `outcome: ${status.kind} contradicts the payout's sub-status ${subStatus}`,
  );
}
