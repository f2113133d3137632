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
  /** The request's digest (`contentOf`), keyed if fields of the request are sealed at rest. */
  readonly content: string;
  readonly requestId: string;
  /** `unknown`: the process ended or the call failed before an answer. */
  readonly outcome: "done" | "unknown";
};

/** An operator's action, recorded once under its key. `Action` is the service's closed union. */
export type AuditRecord<Action extends string = string> = {
  readonly at: Date;
  /** A person, or the service that acts for operators. */
  readonly person: string;
  readonly action: Action;
  /** The id or name of the changed record. */
  readonly subject: string;
  /** The operation's id: a repeat is recorded once. */
  readonly operation: string;
  /** For people to read; sealed if it may not be stored in the clear. */
  readonly detail: string;
  /** Present for a call; absent for a decision with its reason. */
  readonly call?: AuditCall;
};

/** An entry of the trail; its hash covers itself and all entries before it. */
export type AuditEntry<Action extends string = string> = AuditRecord<Action> & {
  /** From 1, without gaps. */
  readonly sequence: number;
  /** "" for the first. */
  readonly previousHash: string;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
};

/** The unique key of an action; for a call its RPC, merchant and operation. */
export function auditKeyOf({ action, subject, operation, call }: AuditRecord): string {
  return call === undefined ? `${action}:${subject}:${operation}` : callKeyOf(call, operation);
}

export function callKeyOf(
  { outcome, rpc, merchantId }: Pick<AuditCall, "outcome" | "rpc" | "merchantId">,
  operation: string,
): string {
  return `call ${outcome} ${rpc} ${merchantId} ${operation}`;
}

/** Returns the entry after `head`; its time never goes back. */
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
 * Hashes a JSON array of the rule's name and the fields in this order. Strings, numbers and arrays
 * of strings have one form in JSON.
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

/** Some entries, consecutive ones, or all from the first. */
type ChainRange = "some" | "consecutive" | "from the first";

/**
 * Describes the first entry, oldest first, that was changed or does not follow its predecessor;
 * `undefined` if there is none. Only the shipped heads (`heads.ts`) can show that the newest
 * entries were removed.
 */
export function findTampering(entries: readonly AuditEntry[], range: ChainRange) {
  let previous: Link | undefined = range === "from the first" ? start : undefined;
  for (const entry of entries) {
    const name = `audit entry ${entry.sequence}`;
    if (hashOf(entry) !== entry.hash) return `${name} was changed`;
    if (previous !== undefined && !follows(entry, previous)) return `${name} is not the next`;
    previous = range === "some" ? undefined : entry;
  }
  return undefined;
}

type Link = Pick<AuditEntry, "sequence" | "hash">;

const start: Link = { sequence: 0, hash: "" };

function follows({ sequence, previousHash }: AuditEntry, previous: Link): boolean {
  return sequence === previous.sequence + 1 && previousHash === previous.hash;
}
