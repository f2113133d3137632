import type { DescField, DescMethod } from "@bufbuild/protobuf";
import type { CallContext } from "../call-context.ts";
import type { Principal } from "../principal.ts";
import type { StoredActor } from "../rpc/mutation.ts";
import type { AuditCall, AuditRecord } from "./trail.ts";

/** Services that act for operators rather than for a merchant's request. */
const operatorServices: ReadonlySet<string> = new Set(["sandbox"]);

/**
 * Returns true if the audit trail records every change by this caller. This applies to operators,
 * operators who use a service's key, and operator jobs. The gateway passes on merchants' own
 * requests. The trail records only decisions among those; documents and the ledger record the rest.
 */
export function isPrivileged(principal: Principal | undefined): principal is Principal {
  if (principal === undefined) return false;
  if (principal.kind === "person" || principal.operator !== undefined) return true;
  return operatorServices.has(principal.name);
}

/** The pending audit entry of a call, stored before the call has its effect. */
export type PendingCall = {
  readonly at: Date;
  readonly person: string;
  readonly caller: AuditCall["caller"];
  readonly roles: readonly string[];
  /** `disburse.payout.v1.PayoutService/CreditAccount`. */
  readonly rpc: string;
  readonly merchant_id: string;
  readonly operation: string;
  readonly content: string;
  readonly request_id: string;
  /** For a call with a service's key, the operator and the reason. Otherwise "". */
  readonly detail: string;
  /** After this time the call can no longer return a response, and a sweep writes the entry. */
  readonly due_at: Date;
};

/** The fields that identify a call's request. */
export type AuditedRequest = Pick<PendingCall, "merchant_id" | "operation" | "content">;

/** The maximum duration of a call without a stream, with a wide margin. */
const unaryMs = 60_000;
/** The maximum duration of a large list import. */
const streamMs = 900_000;

type NamedCaller = Pick<PendingCall, "person" | "caller" | "roles" | "detail">;

/**
 * Returns the caller to record: a privileged caller, or the key or member that made a merchant's
 * decision.
 */
function namedCaller(
  principal: Principal | undefined,
  decidedBy: StoredActor | undefined,
): NamedCaller | undefined {
  if (isPrivileged(principal)) {
    const { kind: caller } = principal;
    if (principal.kind === "service") {
      const { name: person, operator: used } = principal;
      const detail = used && JSON.stringify({ operator: used.person, reason: used.reason });
      return { person, caller, roles: [], detail: detail ?? "" };
    }
    return { person: principal.id, caller, roles: [...principal.roles].toSorted(), detail: "" };
  }
  const { kind, id = "" } = decidedBy ?? {};
  if (kind !== "api_key" && kind !== "member") return undefined;
  return { person: id, caller: kind, roles: [], detail: "" };
}

/**
 * Returns the audit entry that a call needs. Returns `undefined` if the caller is not privileged
 * and the call is not a decision by a merchant's key or member.
 */
export function pendingCall(
  { name, parent, methodKind }: DescMethod,
  context: CallContext | undefined,
  request: AuditedRequest,
  at: Date,
  decidedBy?: StoredActor,
): PendingCall | undefined {
  const { principal, requestId: request_id = "" } = context ?? {};
  const named = namedCaller(principal, decidedBy);
  if (named === undefined) return undefined;
  const dueInMs = methodKind === "unary" ? unaryMs : streamMs;
  return {
    at,
    ...named,
    rpc: `${parent.typeName}/${name}`,
    ...request,
    request_id,
    due_at: new Date(at.getTime() + dueInMs),
  };
}

/**
 * Builds the audit record of a call with its outcome. `subject` is the id of the record that the
 * call was about.
 */
export function callRecord(
  pending: PendingCall,
  outcome: AuditCall["outcome"],
  subject: string,
): AuditRecord {
  const { at, person, caller, roles, rpc, content, detail } = pending;
  const ids = { merchantId: pending.merchant_id, requestId: pending.request_id };
  return {
    at,
    person,
    operation: pending.operation,
    detail,
    action: rpc.slice(rpc.indexOf("/") + 1),
    subject: subject === "" ? pending.merchant_id : subject,
    call: { caller, roles, rpc, content, ...ids, outcome },
  };
}

/** Fields that name a record: its id, a reference, a rail, a list. */
const names: ReadonlySet<string> = new Set(["id", "reference", "rail", "list"]);

const isId = ({ name }: DescField): boolean =>
  names.has(name) || (name.endsWith("_id") && name !== "merchant_id");

/**
 * Returns the id that a call was about. Uses the first id in the response, otherwise the first one
 * in the request, otherwise "". Reads only id fields, because a response may contain a secret.
 */
export function subjectOf(
  { input, output }: DescMethod,
  request: object,
  response: unknown,
): string {
  return idAmong(output.fields, response, 1) || idAmong(input.fields, request, 1);
}

/**
 * Returns the first id among a message's fields. Searches nested messages down to `depth` levels.
 */
function idAmong(fields: readonly DescField[], message: unknown, depth: number): string {
  if (typeof message !== "object" || message === null) return "";
  const values = message as Readonly<Record<string, unknown>>;
  for (const field of fields.filter(({ name }) => name !== "mutation")) {
    const value = values[field.localName];
    if (field.fieldKind === "scalar" && isId(field) && typeof value === "string" && value !== "") {
      return value;
    }
    if (field.fieldKind !== "message" || depth === 0) continue;
    const inside = idAmong(field.message.fields, value, depth - 1);
    if (inside !== "") return inside;
  }
  return "";
}
