import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** The interface's status, and nothing else. */
export type PayoutStatus = "initiated" | "succeeded" | "failed";
export type PayoutSubStatus =
  | "queued"
  | "processing"
  | "unknown"
  | "settled"
  | "rejected"
  | "returned";

/**
 * Where a payout stands. `concluding` and `returning` are decided outcomes whose money has not
 * moved yet: the merchant hears of an outcome only after its money moved.
 */
export type Progress =
  | { readonly stage: "queued" }
  /** Written before the rail is called: from here on the rail may have it. */
  | { readonly stage: "submitting" }
  | { readonly stage: "processing" }
  /** The rail cannot tell; `asked` counts how often. */
  | { readonly stage: "unknown"; readonly asked: number }
  | { readonly stage: "concluding"; readonly outcome: Conclusion }
  | { readonly stage: "settled"; readonly reference: string }
  | { readonly stage: "rejected" }
  | { readonly stage: "returning"; readonly reference: string }
  | { readonly stage: "returned" };

export type Conclusion =
  /** `returned`: the rail said already that it came back; the return follows the settlement. */
  | { readonly kind: "settled"; readonly reference: string; readonly returned?: true }
  | { readonly kind: "rejected" };

/** What a rail says of a transfer, by answer, by poll or by callback. */
export type RailStatus =
  /** It has the transfer and will know more later. */
  | { readonly kind: "accepted" }
  | { readonly kind: "settled"; readonly reference: string }
  /** It did not and will not pay. */
  | { readonly kind: "rejected" }
  /** Paid, and came back; with the reference of the payment where the rail tells it. */
  | { readonly kind: "returned"; readonly reference?: string }
  /** It cannot tell. */
  | { readonly kind: "unknown" }
  /** It has never seen the key: sending under the same key is safe. */
  | { readonly kind: "not_received" };

/** A fate: what a rail or people may tell of a payout, never that they do not know. */
export type Outcome = Extract<RailStatus, { kind: "settled" | "rejected" | "returned" }>;

type PublicStatus = { readonly status: PayoutStatus; readonly subStatus: PayoutSubStatus };

const publicStatuses: Readonly<Record<Progress["stage"], PublicStatus>> = {
  queued: { status: "initiated", subStatus: "queued" },
  submitting: { status: "initiated", subStatus: "processing" },
  processing: { status: "initiated", subStatus: "processing" },
  unknown: { status: "initiated", subStatus: "unknown" },
  concluding: { status: "initiated", subStatus: "processing" },
  settled: { status: "succeeded", subStatus: "settled" },
  returning: { status: "succeeded", subStatus: "settled" },
  rejected: { status: "failed", subStatus: "rejected" },
  returned: { status: "failed", subStatus: "returned" },
};

/** What the merchant sees of a stage. */
export function publicStatusOf({ stage }: Pick<Progress, "stage">): PublicStatus {
  return publicStatuses[stage];
}

/** The hash or bank reference that the merchant sees: "" unless succeeded. */
export function visibleReference(progress: Progress): string {
  return progress.stage === "settled" || progress.stage === "returning" ? progress.reference : "";
}

/**
 * Where an answer of the rail takes a payout; `unchanged` for what was known already. A
 * contradiction (a rejection after a settlement, say) is refused: no guess moves money.
 */
export function applyRailStatus(
  progress: Progress,
  answer: RailStatus,
): Progress | "unchanged" | Refused<"INVALID_REQUEST"> {
  switch (progress.stage) {
    case "submitting":
    case "processing":
    case "unknown":
      return applyToOpen(progress, answer);
    case "concluding":
      if (answer.kind === "returned" && progress.outcome.kind === "settled") {
        if (progress.outcome.returned === true) return "unchanged";
        return { stage: "concluding", outcome: { ...progress.outcome, returned: true } };
      }
      return answer.kind === progress.outcome.kind || isOpen(answer)
        ? "unchanged"
        : contradiction(progress, answer);
    case "settled":
      if (answer.kind === "returned") return { stage: "returning", reference: progress.reference };
      return answer.kind === "settled" || isOpen(answer)
        ? "unchanged"
        : contradiction(progress, answer);
    case "returning":
    case "returned":
      return answer.kind === "returned" || answer.kind === "settled"
        ? "unchanged"
        : contradiction(progress, answer);
    case "rejected":
      return answer.kind === "rejected" ? "unchanged" : contradiction(progress, answer);
    case "queued":
      return contradiction(progress, answer);
  }
}

function isOpen(answer: RailStatus): boolean {
  return answer.kind === "accepted" || answer.kind === "unknown" || answer.kind === "not_received";
}

function applyToOpen(progress: Progress, answer: RailStatus): Progress | "unchanged" {
  switch (answer.kind) {
    case "accepted":
      return progress.stage === "processing" ? "unchanged" : { stage: "processing" };
    case "settled":
      return { stage: "concluding", outcome: { kind: "settled", reference: answer.reference } };
    case "rejected":
      return { stage: "concluding", outcome: { kind: "rejected" } };
    case "unknown": {
      const asked = progress.stage === "unknown" ? progress.asked + 1 : 1;
      return { stage: "unknown", asked };
    }
    case "not_received":
      return progress.stage === "submitting" ? "unchanged" : { stage: "submitting" };
    case "returned": {
      const reference = answer.reference ?? "";
      const outcome = { kind: "settled", reference, returned: true } as const;
      return { stage: "concluding", outcome };
    }
  }
}

function contradiction(progress: Progress, answer: RailStatus): Refused<"INVALID_REQUEST"> {
  const { subStatus } = publicStatusOf(progress);
  return refused("INVALID_REQUEST", `outcome: ${answer.kind} contradicts ${subStatus}`);
}
