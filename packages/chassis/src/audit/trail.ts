import { createHash } from "node:crypto";

/** A privileged call, as the trail keeps it: who called what, with what, and what became of it. */
export type AuditCall = {
  readonly caller: "person" | "service" | "api_key" | "member";
  /** Of a person, at the time of the call, in alphabetical order. */
  readonly roles: readonly string[];
  /** `disburse.payout.v1.PayoutService/CreditAccount`. */
  readonly rpc: string;
  /** "" where the request names no merchant. */
  readonly merchantId: string;
  /** The request's digest (`contentOf`), keyed where fields of the request are sealed at rest. */
  readonly content: string;
  /** As in logs and traces. */
  readonly requestId: string;
  /** `unknown`: the process ended, or the call failed, before it was answered. */
  readonly outcome: "done" | "unknown";
};

/** An operator's action, kept once under its key. `Action` is the service's closed union. */
export type AuditRecord<Action extends string = string> = {
  readonly at: Date;
  /** Who: a person, or the service that acts for operators. */
  readonly person: string;
  /** Of a call, the RPC's name. */
  readonly action: Action;
  /** The id or name of what was acted on. */
  readonly subject: string;
  /** The operation's id: a repeat is kept once. */
  readonly operation: string;
  /** For people to read; sealed where it may not be stored in the clear. */
  readonly detail: string;
  /** Present in the entry of a call; absent in one that says what was decided, and why. */
  readonly call?: AuditCall;
};

/** An entry of the trail: its hash covers itself and all entries before it. */
export type AuditEntry<Action extends string = string> = AuditRecord<Action> & {
  /** From 1, without gaps. */
  readonly sequence: number;
  /** "" for the first. */
  readonly previousHash: string;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
};

/** The key under which an action is kept once: a call by its RPC, merchant and operation. */
export function auditKeyOf({ action, subject, operation, call }: AuditRecord): string {
  return call === undefined ? `${action}:${subject}:${operation}` : callKeyOf(call, operation);
}

/** The key under which the trail has a call once. */
export function callKeyOf(
  { outcome, rpc, merchantId }: Pick<AuditCall, "outcome" | "rpc" | "merchantId">,
  operation: string,
): string {
  return `call ${outcome} ${rpc} ${merchantId} ${operation}`;
}

/** The entry after `head`; its time never goes back. */
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
 * The rule's name and the fields in this order, as a JSON array: strings, a number and an array of
 * strings have one form in JSON.
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

/** Which entries of the trail are checked: some, consecutive ones, or all from the first. */
type ChainRange = "some" | "consecutive" | "from the first";

/**
 * Describes the first entry, oldest first, that was changed after it was written or does not follow
 * the one before it; `undefined` where none is. Removal of the newest entries is seen by the heads
 * that were shipped alone (`heads.ts`).
 */
export function findTampering(entries: readonly AuditEntry[], range: ChainRange) {
  let before: Link | undefined = range === "from the first" ? start : undefined;
  for (const entry of entries) {
    const name = `audit entry ${entry.sequence}`;
    if (hashOf(entry) !== entry.hash) return `${name} was changed`;
    if (before !== undefined && !follows(entry, before)) return `${name} is not the next`;
    before = range === "some" ? undefined : entry;
  }
  return undefined;
}

type Link = Pick<AuditEntry, "sequence" | "hash">;

/** The predecessor of the first entry. */
const start: Link = { sequence: 0, hash: "" };

function follows({ sequence, previousHash }: AuditEntry, before: Link): boolean {
  return sequence === before.sequence + 1 && previousHash === before.hash;
}
