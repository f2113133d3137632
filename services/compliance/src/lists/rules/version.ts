/** One state of one list that came into force. */
export type ListVersion = {
  readonly list: string;
  /** The publisher's name of this state. */
  readonly version: string;
  /** The import that brought it: distinguishes two imports of one version. */
  readonly importId: string;
  /** How many entries it has. */
  readonly entries: number;
  /** SHA-256 of the imported bytes, hex. */
  readonly checksum: string;
  readonly importedAt: Date;
};

/** How many entries of a list differ from the version before. */
export type ListChange = {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
};

/** Names one state of one list that is or was in force; the import that brought it is kept. */
export type ImportRef = { readonly list: string; readonly importId: string };

/** Those of some lists that never came into force. */
export function missingLists(
  required: readonly string[],
  inForce: readonly { readonly version: ListVersion }[],
): string[] {
  const known = new Set(inForce.map(({ version }) => version.list));
  return required.filter((list) => !known.has(list));
}
