import { failureMessages } from "@disburse/kernel/failure.ts";
import type { Progress } from "./progress.ts";

/** The part of a payout's failure that merchants see. */
export type VisibleFailure = {
  readonly failureCode: string;
  readonly failureMessage: string;
  readonly railCode: string;
  /** The reference of the returned payment. */
  readonly returnedReference: string;
};

const none: VisibleFailure = {
  failureCode: "",
  failureMessage: "",
  railCode: "",
  returnedReference: "",
};

/** The form of rail codes that merchants may see: printable, with a limited length. */
const shownRailCode = /^[\x21-\x7e]{1,32}$/;

const cancellationCodes = {
  cancelled: "CANCELLED",
  approval_rejected: "APPROVAL_REJECTED",
  approval_expired: "APPROVAL_EXPIRED",
} as const;

/** Returns the cause of a cancellation that has this code, or `undefined` if it is another failure. */
export function cancellationOf(code: string): keyof typeof cancellationCodes | undefined {
  const causes = Object.keys(cancellationCodes) as (keyof typeof cancellationCodes)[];
  return causes.find((cause) => cancellationCodes[cause] === code);
}

/** Returns the failure that merchants see. All fields are "" unless the payout has failed. */
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
