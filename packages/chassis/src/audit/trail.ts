import { createHash } from "node:crypto";

/** A privileged call in the trail: caller, request and outcome. */
export type AuditCall = {
  readonly caller: "person" | "service" | "api_key" | "member";
  /** A person's roles at the time of the call, in alphabetical order. */
  readonly roles: readonly string[];
  /** `disburse.payout.v1.PayoutService/CreditAccount`. */
  readonly rpc: string;
  /** "" if the request names no merchant. */
  readonly merchantId: string;
  /** The request's digest (`contentOf`), keyed if fields of the request are encrypted at rest. */
  readonly content: string;
  readonly requestId: string;
  /** `unknown` means that the process died or the call failed before it returned a response. */
  readonly outcome: "done" | "unknown";
};

/**
 * An operator's action. Its key ensures that it is recorded once. `Action` is the service's closed
 * union of actions.
 */
export type AuditRecord<Action extends string = string> = {
  readonly at: Date;
  /** A person, or the service that acts for operators. */
  readonly person: string;
  readonly action: Action;
  /** The id or name of the changed record. */
  readonly subject: string;
  /** The operation's id. A repeated operation is recorded once. */
  readonly operation: string;
  /** Text for people. Sealed if it must not be stored in plain text. */
  readonly detail: string;
  /** Present for a call. Absent for a decision, which has a reason. */
  readonly call?: AuditCall;
};

/** An entry of the audit trail. Its hash covers the entry and all entries before it. */
export type AuditEntry<Action extends string = string> = AuditRecord<Action> & {
  /** The entry's number. Numbers start at 1 and have no gaps. */
  readonly sequence: number;
  /** "" for the first entry. */
  readonly previousHash: string;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
};

/**
 * Returns the unique key of an action. For a call the key contains its RPC, merchant and operation.
 */
export function auditKeyOf({ action, subject, operation, call }: AuditRecord): string {
  return call === undefined ? `${action}:${subject}:${operation}` : callKeyOf(call, operation);
}

export function callKeyOf(
  { outcome, rpc, merchantId }: Pick<AuditCall, "outcome" | "rpc" | "merchantId">,
  operation: string,
): string {
  return `call ${outcome} ${rpc} ${merchantId} ${operation}`;
}

/** Returns the entry that follows `head`. Its time is never earlier than that of `head`. */
export function nextEntry<Action extends string>(
  head: AuditEntry | undefined,
  record: AuditRecord<Action>,
): AuditEntry<Action> {
  const at = head !== undefined && head.at > record.at ? head.at : record.at;
  const sequence = (head?.sequence ?? 0) + 1;
  const previousHash = head?.hash ?? "";
  const unsealed = { ...record, at, sequence, previousHash };
  return { ...unsealed, hash: hashOf(unsealed) };
}

/**
 * Hashes a JSON array that contains the rule's name and then the fields in this order. Strings,
 * numbers and arrays of strings have only one form in JSON.
 */
function hashOf(entry: Omit<AuditEntry, "hash">): string {
  const { previousHash, sequence, at, person, action, subject, operation, detail } = entry;
  const fields = [
    ...["disburse audit entry", previousHash, sequence, at.toISOString(), person],
    ...[action, subject, operation, detail, auditKeyOf(entry)],
    callFields(entry.call),
  ];
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}

function callFields(call: AuditCall | undefined) {
  if (call === undefined) return null;
  const { caller, roles, rpc, merchantId, content, requestId, outcome } = call;
  return [caller, [...roles], rpc, merchantId, content, requestId, outcome];
}

/** The entries to check: any selection, a consecutive range, or all from the first. */
type ChainRange = "some" | "consecutive" | "from the first";

/**
 * Describes the oldest entry that was changed or does not follow its predecessor. Returns
 * `undefined` if there is none. This can't detect that the newest entries were removed. Only the
 * shipped heads (`heads.ts`) can show that.
 */
export function findTampering(entries: readonly AuditEntry[], range: ChainRange) {
  let previous: Link | undefined = range === "from the first" ? start : undefined;
  for (const entry of entries) {
    const name = `audit entry ${entry.sequence}`;
    if (hashOf(entry) !== entry.hash) return `${name} was changed`;
    if (previous !== undefined && !follows(entry, previous))
      return `${name} does not follow the previous entry: entries are missing or in another order`;
    previous = range === "some" ? undefined : entry;
  }
  return undefined;
}

type Link = Pick<AuditEntry, "sequence" | "hash">;

const start: Link = { sequence: 0, hash: "" };

function follows({ sequence, previousHash }: AuditEntry, previous: Link): boolean {
  return sequence === previous.sequence + 1 && previousHash === previous.hash;
}
