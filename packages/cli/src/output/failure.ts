import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { InputError } from "@disburse/commands/table/input-error.ts";
import { plainOf } from "@disburse/commands/table/plain.ts";
import { ApprovalRequiredSchema } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";

/** Exit codes of every command; `disburse --help` lists them. */
export const exitCodes = {
  ok: 0,
  /** A service refused the request or failed. */
  failed: 1,
  usage: 2,
  /** Another person has to approve the request. */
  approval: 3,
  /** The person is not signed in or has no permission. */
  identity: 4,
  /** A service or the OpenID provider is unavailable; a retry may succeed. */
  unavailable: 5,
} as const;

export type ExitName = keyof typeof exitCodes;

type Ending = {
  readonly exit: ExitName;
  /** The error code for programs: `usage`, `not_logged_in`, or a service's error code. */
  readonly code: string;
  readonly cause?: unknown;
};

/** Ends a command with an exit code, an error code and a message. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exit: ExitName;
  readonly code: string;
  constructor(message: string, how: Ending) {
    super(message, "cause" in how ? { cause: how.cause } : {});
    this.exit = how.exit;
    this.code = how.code;
  }
}

/** Creates the error for an invalid command line or input file. */
export function usageError(message: string): CommandError {
  return new CommandError(message, { exit: "usage", code: "usage" });
}

export function notLoggedIn(message: string): CommandError {
  return new CommandError(message, { exit: "identity", code: "not_logged_in" });
}

export type Failure = {
  readonly exit: ExitName;
  readonly code: string;
  readonly message: string;
  /** The proposal that awaits approval: its id, digest and expiry. */
  readonly approval?: JsonObject;
  /** Set and printed only for internal errors. */
  readonly stack?: string | undefined;
};

const identityCodes = new Set([Code.Unauthenticated, Code.PermissionDenied]);
const unavailableCodes = new Set([Code.Unavailable, Code.DeadlineExceeded]);

/** Converts any error; a service's refusal keeps its code and message. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) {
    return { exit: error.exit, code: error.code, message: error.message };
  }
  if (error instanceof InputError) {
    return { exit: "usage", code: "usage", message: error.message };
  }
  if (error instanceof ConnectError) {
    const [needed] = error.findDetails(ApprovalRequiredSchema);
    if (needed !== undefined) {
      const message = `another person must approve it: disburse approvals get ${needed.proposalId}`;
      const approval = plainOf(ApprovalRequiredSchema, needed);
      return { exit: "approval", code: "APPROVAL_REQUIRED", message, approval };
    }
    const [refusal] = error.findDetails(RefusalSchema);
    const exit = exitOf(error.code);
    if (refusal !== undefined) return { exit, code: refusal.code, message: refusal.message };
    return { exit, code: codeName(error.code), message: messageOf(error) };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { exit: "failed", code: "internal", message, stack };
}

function exitOf(code: Code): ExitName {
  if (identityCodes.has(code)) return "identity";
  return unavailableCodes.has(code) ? "unavailable" : "failed";
}

/** Returns `permission_denied` for `PermissionDenied`. */
function codeName(code: Code): string {
  return (Code[code] ?? "unknown").replace(/(?!^)([A-Z])/g, "_$1").toLowerCase();
}

function messageOf({ code, rawMessage }: ConnectError): string {
  if (code === Code.Unavailable) return `the service does not respond (${rawMessage})`;
  if (code === Code.DeadlineExceeded) return "the service did not answer in time";
  return rawMessage;
}
