/** Texts that merchants attach to records under their own keys. */
export type Metadata = Readonly<Record<string, string>>;

/** The maximum number of keys per record. Stripe has the same limit. */
export const metadataKeysMax = 50;
/** Maximum length of a key in characters. */
export const metadataKeyMax = 40;
/** Maximum length of a value in characters. */
export const metadataValueMax = 500;

/**
 * The pattern of a key. Keys also appear in queries as `metadata=key=value`. `__proto__` is not
 * allowed.
 */
export const metadataKey = `(?!__proto__$)[A-Za-z0-9_][A-Za-z0-9_.:-]{0,${metadataKeyMax - 1}}`;

/**
 * A stored key and value. Metadata is stored as an array of these, so that one index covers all
 * keys.
 */
export type StoredEntry = { k: string; v: string };

export function storedMetadata(metadata: Metadata): StoredEntry[] {
  const entries = Object.entries(metadata).map(([k, v]) => ({ k, v }));
  return entries.sort((one, other) => (one.k < other.k ? -1 : 1));
}

/** Returns no entries for absent metadata. */
export function metadataOf(stored: readonly StoredEntry[] | undefined): Record<string, string> {
  return Object.fromEntries((stored ?? []).map(({ k, v }) => [k, v]));
}

/** Ignores the order of the pairs. */
export function isSameMetadata(one: Metadata, other: Metadata): boolean {
  return JSON.stringify(storedMetadata(one)) === JSON.stringify(storedMetadata(other));
}
