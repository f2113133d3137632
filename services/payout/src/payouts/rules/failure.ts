import { failureMessages } from "@disburse/kernel/failure.ts";
import type { Progress } from "./progress.ts";

/** What merchants read of a payout's failure. */
export type VisibleFailure = {
  readonly failureCode: string;
  readonly failureMessage: string;
  readonly railCode: string;
  /** The reference of the payment that came back. */
  readonly returnedReference: string;
};

const none: VisibleFailure = {
  failureCode: "",
  failureMessage: "",
  railCode: "",
  returnedReference: "",
};

/** A rail's own code: printable, of bounded length; another one is not shown. */
const shownRailCode = /^[\x21-\x7e]{1,32}$/;

const cancellationCodes = {
  cancelled: "CANCELLED",
  approval_rejected: "APPROVAL_REJECTED",
  approval_expired: "APPROVAL_EXPIRED",
} as const;

/** The failure that a merchant sees: all "" unless the payout has failed. */
export function visibleFailure(progress: Progress): VisibleFailure {
  if (progress.stage === "cancelled") {
    const code = cancellationCodes[progress.because ?? "cancelled"];
    return { ...none, failureCode: code, failureMessage: failureMessages[code] };
  }
  if (progress.stage !== "rejected" && progress.stage !== "returned") return none;
  const { code = "UNSPECIFIED", railCode = "" } = progress.failure ?? {};
  return {
    failureCode: code,
    failureMessage: failureMessages[code],
    railCode: shownRailCode.test(railCode) ? railCode : "",
    returnedReference: progress.stage === "returned" ? progress.reference : "",
  };
}
