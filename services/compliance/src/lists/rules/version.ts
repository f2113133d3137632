/** One state of one list that came into force. */
export type ListVersion = {
  readonly list: string;
  /** The publisher's name of this state. */
  readonly version: string;
  /** The id of the import. The same version may be imported twice. */
  readonly importId: string;
  readonly entries: number;
  /** SHA-256 of the imported bytes, in hexadecimal. */
  readonly checksum: string;
  readonly importedAt: Date;
};

/** The number of entries that differ from the previous version. */
export type ListChange = {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
};

/** Identifies a state of a list that is or was in force; its import is kept forever. */
export type ImportRef = { readonly list: string; readonly importId: string };

/** Returns the required lists that never came into force. */
export function missingLists(
  required: readonly string[],
  inForce: readonly { readonly version: ListVersion }[],
): string[] {
  const known = new Set(inForce.map(({ version }) => version.list));
  return required.filter((list) => !known.has(list));
}
