import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type Refusal,
  RefusalSchema,
  type Violation as ViolationMessage,
  ViolationSchema,
} from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { BadRequestSchema } from "@disburse/contracts/google/rpc/error_details_pb.ts";
import {
  type ErrorCode,
  errorTable,
  type RefusalReason,
  refusalReasons,
} from "@disburse/kernel/errors.ts";
import { isRefused, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { readViolations } from "@disburse/kernel/violations.ts";

/** A refusal as sent to callers, with the RPC code, the public API's code and the message. */
export type WireRefusal = { readonly rpc: Code; readonly code: string; readonly message: string };

/** An exhaustive table that maps every refusal of a closed union. */
export type RefusalTable<R extends string> = Readonly<Record<R, WireRefusal>>;

/**
 * Converts a refusal to an RPC error. If the refusal has a `detail`, it replaces the table's
 * message.
 */
export function refusalError<R extends string>(table: RefusalTable<R>, refusal: Refused<R>) {
  const wire = table[refusal.refused];
  const message = refusal.detail ?? wire.message;
  const value = create(RefusalSchema, refusalFields(wire, refusal));
  return new ConnectError(`${wire.code}: ${message}`, wire.rpc, undefined, [
    { desc: RefusalSchema, value },
    ...(wire.rpc === Code.InvalidArgument ? badRequest(message) : []),
  ]);
}

function refusalFields(wire: Omit<WireRefusal, "rpc">, refusal: Refused<string>) {
  const { detail: message = wire.message, reason = "", payoutId = "", violations = [] } = refusal;
  return {
    code: wire.code,
    message,
    reason,
    payoutId,
    violations: violations.map(violationMessage),
  };
}

/** Converts a refusal to the contract's message, for a response that lists several. */
export function refusalMessage(refusal: Refused<ErrorCode>): Refusal {
  const code = refusal.refused;
  return create(RefusalSchema, refusalFields({ code, message: errorTable[code].message }, refusal));
}

/** Converts a violation to the contract's message. */
export function violationMessage({ field, problem, lines }: Violation): ViolationMessage {
  const of = lines && { ...lines, numbers: [...lines.numbers], rows: [...lines.rows] };
  return create(ViolationSchema, { field, problem, ...(of && { lines: of }) });
}

/** Returns the standard detail of gRPC, which clients know without this project's protos. */
function badRequest(message: string) {
  const fieldViolations = readViolations(message).map(({ field, rule, message: description }) => ({
    field,
    description,
    reason: rule,
  }));
  return fieldViolations.length > 0 ? [{ desc: BadRequestSchema, value: { fieldViolations } }] : [];
}

/**
 * Creates a service's `orThrow`. That function returns a rule's result, or throws its refusal as an
 * RPC error.
 */
export function orThrowBy<R extends string>(table: RefusalTable<R>) {
  return <T>(answer: T | Refused<R>): Exclude<T, Refused<R>> => {
    if (isRefused(answer)) throw refusalError(table, answer as Refused<R>);
    return answer as Exclude<T, Refused<R>>;
  };
}

type ReadRefusal = Omit<Refused<string>, "refused" | "detail"> & {
  readonly code: string;
  readonly message: string;
};

/**
 * Reads a refusal from another service's error. Returns `undefined` if the error is not a refusal.
 */
export function readRefusal(error: unknown): ReadRefusal | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const detail = error.findDetails(RefusalSchema)[0];
  if (detail === undefined) return undefined;
  return refusalOf(detail);
}

/** Reads a refusal from the contract's message. */
export function refusalOf({ code, message, ...more }: Refusal): ReadRefusal {
  const { reason, payoutId, violations } = more;
  return {
    code,
    message,
    ...(isReason(reason) && { reason }),
    ...(payoutId !== "" && { payoutId }),
    ...(violations.length > 0 && { violations }),
  };
}

function isReason(text: string): text is RefusalReason {
  return Object.hasOwn(refusalReasons, text);
}

/**
 * Returns true if an RPC refused the request, so that it has changed nothing. Returns false if the
 * RPC failed, or if it may still have the effect: it is unavailable, or another run has not ended.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  const mayPass = error.code === Code.Unavailable || error.code === Code.Aborted;
  return !mayPass && (error.code === Code.InvalidArgument || readRefusal(error) !== undefined);
}

/** Returns true if a service did not respond. A retry may then succeed. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded)
  );
}

/**
 * The public API's codes with which a service may refuse. All other codes come only from the
 * gateway.
 */
export type PublicRefusal = {
  [C in ErrorCode]: (typeof errorTable)[C] extends { grpc: string } ? C : never;
}[ErrorCode];

/** The public API's refusals for services. A service's own table extends these. */
export const publicRefusals = Object.fromEntries(
  Object.entries(errorTable).flatMap(([code, row]) =>
    row.grpc === undefined ? [] : [[code, { rpc: Code[row.grpc], code, message: row.message }]],
  ),
) as RefusalTable<PublicRefusal>;

/** The `orThrow` for services that use only the public API's refusals. */
export const orThrow = orThrowBy(publicRefusals);
