import { createHash } from "node:crypto";

/** An operator's action, kept once under its key. `Action` is the service's closed union. */
export type AuditRecord<Action extends string = string> = {
  readonly at: Date;
  readonly person: string;
  readonly action: Action;
  /** The id or name of what was acted on. */
  readonly subject: string;
  /** The operation's id: a repeat is kept once. */
  readonly operation: string;
  /** For people to read; sealed where it may not be stored in the clear. */
  readonly detail: string;
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

/** The key under which an action is kept once. */
export function auditKeyOf({ action, subject, operation }: AuditRecord): string {
  return `${action}:${subject}:${operation}`;
}

/** The entry after `head`; its time never goes back. */
export function nextEntry<Action extends string>(
  head: AuditEntry | undefined,
  record: AuditRecord<Action>,
): AuditEntry<Action> {
  const at = head !== undefined && head.at > record.at ? head.at : record.at;
  const sequence = (head?.sequence ?? 0) + 1;
  const unsealed = { ...record, at, sequence, previousHash: head?.hash ?? "" };
  return { ...unsealed, hash: hashOf(unsealed) };
}

/** The fields in this order, as JSON. */
function hashOf(entry: Omit<AuditEntry, "hash">): string {
  const { previousHash, sequence, at, person, action, subject, operation, detail } = entry;
  const sealed = [
    ...[previousHash, sequence, at.toISOString(), person],
    ...[action, subject, operation, detail],
  ];
  return createHash("sha256").update(JSON.stringify(sealed)).digest("hex");
}

/** Which entries of the trail are checked: some, consecutive ones, or all from the first. */
type ChainRange = "some" | "consecutive" | "from the first";

/**
 * Describes the first entry, oldest first, that was changed after it was written or does not follow
 * the one before it; `undefined` where none is. Removal of the newest entries is not detectable.
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
