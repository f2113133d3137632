import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ApprovalRequiredSchema } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { plainOf } from "./plain.ts";

/** The exit codes of every command, as `disburse --help` names them. */
export const exitCodes = {
  ok: 0,
  /** Refused by a service, or failed there. */
  failed: 1,
  usage: 2,
  /** Another person has to approve what was asked. */
  approval: 3,
  /** Not signed in, or not allowed. */
  identity: 4,
  /** A service or the provider of sign-ins does not answer; retrying may succeed. */
  unavailable: 5,
} as const;

/** The name of an exit code. */
export type ExitName = keyof typeof exitCodes;

/** How a command ends that does not succeed. */
type Ending = {
  readonly exit: ExitName;
  /** What a program decides by: `usage`, `not_logged_in`, or a code of a service. */
  readonly code: string;
  readonly cause?: unknown;
};

/** A command that ends otherwise than it was meant to: how, and what people read. */
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

/** A command line, or a file that it names, that cannot be read. */
export function usageError(message: string): CommandError {
  return new CommandError(message, { exit: "usage", code: "usage" });
}

/** No identity to call with. */
export function notLoggedIn(message: string): CommandError {
  return new CommandError(message, { exit: "identity", code: "not_logged_in" });
}

/** How a failure ends a command, and what is said about it. */
export type Failure = {
  readonly exit: ExitName;
  readonly code: string;
  readonly message: string;
  /** What waits for another person: the proposal's id, its digest, its end. */
  readonly approval?: JsonObject;
  /** A bug of ours: its stack is shown. */
  readonly stack?: string | undefined;
};

const identityCodes = new Set([Code.Unauthenticated, Code.PermissionDenied]);
const unavailableCodes = new Set([Code.Unavailable, Code.DeadlineExceeded]);

/** How an error ends a command: a service's refusal keeps its code and sentence. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) {
    return { exit: error.exit, code: error.code, message: error.message };
  }
  if (error instanceof ConnectError) {
    const [needed] = error.findDetails(ApprovalRequiredSchema);
    if (needed !== undefined) {
      const message = `another person has to approve it: disburse approvals get ${needed.proposalId}`;
      const approval = plainOf(ApprovalRequiredSchema, needed);
      return { exit: "approval", code: "APPROVAL_REQUIRED", message, approval };
    }
    const [refusal] = error.findDetails(RefusalSchema);
    const exit = exitOf(error.code);
    if (refusal !== undefined) return { exit, code: refusal.code, message: refusal.message };
    return { exit, code: codeWord(error.code), message: messageOf(error) };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { exit: "failed", code: "internal", message, stack };
}

function exitOf(code: Code): ExitName {
  if (identityCodes.has(code)) return "identity";
  return unavailableCodes.has(code) ? "unavailable" : "failed";
}

/** `permission_denied` of `PermissionDenied`. */
function codeWord(code: Code): string {
  return (Code[code] ?? "unknown").replace(/(?!^)([A-Z])/g, "_$1").toLowerCase();
}

function messageOf({ code, rawMessage }: ConnectError): string {
  if (code === Code.Unavailable) return `the service does not answer (${rawMessage})`;
  if (code === Code.DeadlineExceeded) return "the service did not answer in time";
  return rawMessage;
}
