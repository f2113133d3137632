import { Code, ConnectError } from "@connectrpc/connect";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import {
  type ErrorCode,
  errorTable,
  type RefusalReason,
  refusalReasons,
} from "@disburse/kernel/errors.ts";
import { isRefused, type Refused } from "@disburse/kernel/refusal.ts";

/** A refusal on the wire: the RPC code, and the interface's code and message. */
export type WireRefusal = { readonly rpc: Code; readonly code: string; readonly message: string };

/** An exhaustive table: every refusal of a closed union, mapped once. */
export type RefusalTable<R extends string> = Readonly<Record<R, WireRefusal>>;

/**
 * Converts a refusal to an RPC error; its `detail` replaces the table's message if there is one.
 */
export function refusalError<R extends string>(table: RefusalTable<R>, refusal: Refused<R>) {
  const wire = table[refusal.refused];
  const message = refusal.detail ?? wire.message;
  const { reason = "", payoutId = "" } = refusal;
  return new ConnectError(`${wire.code}: ${message}`, wire.rpc, undefined, [
    { desc: RefusalSchema, value: { code: wire.code, message, reason, payoutId } },
  ]);
}

/**
 * Creates a service's `orThrow`: it returns a rule's result, or throws its refusal as an RPC error.
 */
export function orThrowBy<R extends string>(table: RefusalTable<R>) {
  return <T>(answer: T | Refused<R>): Exclude<T, Refused<R>> => {
    if (isRefused(answer)) throw refusalError(table, answer as Refused<R>);
    return answer as Exclude<T, Refused<R>>;
  };
}

/** Reads another service's refusal; `undefined` if the error is no refusal. */
export function readRefusal(
  error: unknown,
): { code: string; message: string; reason?: RefusalReason; payoutId?: string } | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const detail = error.findDetails(RefusalSchema)[0];
  if (detail === undefined) return undefined;
  const { code, message, reason, payoutId } = detail;
  const more = { ...(isReason(reason) && { reason }), ...(payoutId !== "" && { payoutId }) };
  return { code, message, ...more };
}

function isReason(text: string): text is RefusalReason {
  return Object.hasOwn(refusalReasons, text);
}

/** True if a service did not answer: retrying may succeed. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded)
  );
}

/** The codes of the interface that a service may refuse with; the others are the gateway's own. */
export type PublicRefusal = {
  [C in ErrorCode]: (typeof errorTable)[C] extends { grpc: string } ? C : never;
}[ErrorCode];

/** The interface's refusals for services; a service's own table extends these. */
export const publicRefusals = Object.fromEntries(
  Object.entries(errorTable).flatMap(([code, row]) =>
    row.grpc === undefined ? [] : [[code, { rpc: Code[row.grpc], code, message: row.message }]],
  ),
) as RefusalTable<PublicRefusal>;

/** `orThrow` of a service that uses only refusals of the interface's table. */
export const orThrow = orThrowBy(publicRefusals);
