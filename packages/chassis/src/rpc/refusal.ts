import { Code, ConnectError } from "@connectrpc/connect";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { isRefused, type Refused } from "@disburse/kernel/refusal.ts";

/** How one refusal leaves a service: the RPC code, and the interface's code and sentence. */
export type WireRefusal = {
  readonly rpc: Code;
  readonly code: string;
  readonly message: string;
};

/** A service's exhaustive table: every refusal of its closed union, mapped once. */
export type RefusalTable<R extends string> = Readonly<Record<R, WireRefusal>>;

/** The RPC error of a refusal; its `detail` replaces the table's sentence where there is one. */
export function refusalError<R extends string>(
  table: RefusalTable<R>,
  refusal: Refused<R>,
): ConnectError {
  const wire = table[refusal.refused];
  const message = refusal.detail ?? wire.message;
  return new ConnectError(`${wire.code}: ${message}`, wire.rpc, undefined, [
    { desc: RefusalSchema, value: { code: wire.code, message } },
  ]);
}

/**
 * How a service's RPCs take a rule's answer: as it is, or its refusal thrown as the RPC's error.
 */
export function acceptedBy<R extends string>(table: RefusalTable<R>) {
  return <T>(answer: T | Refused<R>): Exclude<T, Refused<R>> => {
    if (isRefused(answer)) throw refusalError(table, answer as Refused<R>);
    return answer as Exclude<T, Refused<R>>;
  };
}

/** What another service refused with, or `undefined` when the error is no refusal. */
export function readRefusal(error: unknown): { code: string; message: string } | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const detail = error.findDetails(RefusalSchema)[0];
  return detail === undefined ? undefined : { code: detail.code, message: detail.message };
}

/** Whether a call got no answer from a service that may be well again soon. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded)
  );
}

/**
 * The sentences of the interface's errors, verbatim; every service's table takes them from here.
 */
export const publicRefusals = {
  INVALID_REQUEST: {
    rpc: Code.InvalidArgument,
    code: "INVALID_REQUEST",
    message: "The request is invalid.",
  },
  INVALID_WALLET_ADDRESS: {
    rpc: Code.InvalidArgument,
    code: "INVALID_WALLET_ADDRESS",
    message: "Wallet address is invalid",
  },
  RISK_ANALYSIS_FAILED: {
    rpc: Code.FailedPrecondition,
    code: "RISK_ANALYSIS_FAILED",
    message: "Wallet id was found risky",
  },
  RECORD_NOT_FOUND: {
    rpc: Code.NotFound,
    code: "RECORD_NOT_FOUND",
    message: "Unable to find the record requested.",
  },
  BENEFICIARY_CREATION_NOT_ALLOWED: {
    rpc: Code.PermissionDenied,
    code: "BENEFICIARY_CREATION_NOT_ALLOWED",
    message: "Beneficiary creation not allowed",
  },
  CORRIDOR_NOT_ACTIVE: {
    rpc: Code.FailedPrecondition,
    code: "CORRIDOR_NOT_ACTIVE",
    message: "Corridor Not Active",
  },
  ACCESS_FORBIDDEN: {
    rpc: Code.PermissionDenied,
    code: "ACCESS_FORBIDDEN",
    message: "You are not authorized to access this record.",
  },
  QUOTE_EXPIRED: {
    rpc: Code.FailedPrecondition,
    code: "QUOTE_EXPIRED",
    message: "This quote is expired",
  },
  ALREADY_PROCESSED: {
    rpc: Code.AlreadyExists,
    code: "ALREADY_PROCESSED",
    message: "Transaction Already Processed",
  },
  AMOUNT_NOT_WITHIN_LIMITS: {
    rpc: Code.OutOfRange,
    code: "AMOUNT_NOT_WITHIN_LIMITS",
    message: "Amount is not within limits.",
  },
  INSUFFICIENT_BALANCE: {
    rpc: Code.FailedPrecondition,
    code: "INSUFFICIENT_BALANCE",
    message: "Balance is not sufficient for this transaction",
  },
} as const satisfies Record<string, WireRefusal>;
