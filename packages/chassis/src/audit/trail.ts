import { createHash } from "node:crypto";

/**
 * Something that a person of the operator's staff did, to be kept once under its key. `Action` is
 * the service's closed union of such deeds: `resolution.proposed`.
 */
export type AuditRecord<Action extends string = string> = {
  readonly at: Date;
  readonly person: string;
  readonly action: Action;
  /** The id or name of what was acted on. */
  readonly subject: string;
  /** As which operation: the same step again is kept once. */
  readonly operation: string;
  /** For people; a service that may not keep it in the clear gives it sealed. */
  readonly detail: string;
};

/** An entry of the trail: it seals itself and all before it. */
export type AuditEntry<Action extends string = string> = AuditRecord<Action> & {
  /** From 1, without gap. */
  readonly sequence: number;
  /** "" of the first. */
  readonly previousHash: string;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
};

/** What makes a step the same as another. */
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

/** What entries are of the trail: some, all between two, or all from its beginning. */
export type Extent = "some" | "consecutive" | "from the first";

/**
 * The first thing that is wrong with entries of the trail, oldest first: one was changed after it
 * was written, or does not follow the one before it. `undefined`: nothing is. That the newest were
 * removed shows nowhere.
 */
export function findTampering(entries: readonly AuditEntry[], extent: Extent): string | undefined {
  let before: Link | undefined = extent === "from the first" ? start : undefined;
  for (const entry of entries) {
    const name = `audit entry ${entry.sequence}`;
    if (hashOf(entry) !== entry.hash) return `${name} was changed`;
    if (before !== undefined && !follows(entry, before)) return `${name} is not the next`;
    before = extent === "some" ? undefined : entry;
  }
  return undefined;
}

type Link = Pick<AuditEntry, "sequence" | "hash">;

/** What the first entry follows. */
const start: Link = { sequence: 0, hash: "" };

function follows({ sequence, previousHash }: AuditEntry, before: Link): boolean {
  return sequence === before.sequence + 1 && previousHash === before.hash;
}
