/** What merchants attach to records: texts under keys of their own. */
export type Metadata = Readonly<Record<string, string>>;

/** Keys of one record; as many as Stripe takes. */
export const metadataKeysMax = 50;
/** A key, in characters. */
export const metadataKeyMax = 40;
/** A value, in characters. */
export const metadataValueMax = 500;

/** A key, as a query may have it in `metadata[key]=value`; none is that of a prototype. */
export const metadataKey = `(?!__proto__$)[A-Za-z0-9_][A-Za-z0-9_.:-]{0,${metadataKeyMax - 1}}`;

/** One entry as it is stored: an array of these has one index for all keys. */
export type StoredEntry = { k: string; v: string };

/** Metadata as it is stored, by its keys. */
export function storedMetadata(metadata: Metadata): StoredEntry[] {
  const entries = Object.entries(metadata).map(([k, v]) => ({ k, v }));
  return entries.sort((one, other) => (one.k < other.k ? -1 : 1));
}

/** Stored metadata as it is shown; absent: none. */
export function metadataOf(stored: readonly StoredEntry[] | undefined): Record<string, string> {
  return Object.fromEntries((stored ?? []).map(({ k, v }) => [k, v]));
}

/** Whether both have the same pairs, in whatever order. */
export function isSameMetadata(one: Metadata, other: Metadata): boolean {
  return JSON.stringify(storedMetadata(one)) === JSON.stringify(storedMetadata(other));
}
