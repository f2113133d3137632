import { entryFingerprint, isBic, type ListEntry } from "./entry.ts";

/**
 * Returns the forms that the list lost and that stay in force until a person confirms their
 * removal.
 */
export function retainedForms(
  inForce: Iterable<ListEntry>,
  published: ReadonlyMap<string, readonly ListEntry[]>,
): ListEntry[] {
  const forms = new Map<string, ListEntry>();
  for (const form of inForce) {
    const isCovered = published.get(form.uid)?.some((after) => covers(after, form)) ?? false;
    if (!isCovered) forms.set(formKey(form), form);
  }
  return [...forms.values()];
}

/** Identifies a form of an entry by its compared data and its uid. */
export function formKey(form: ListEntry): string {
  return keyOfForm(entryFingerprint(form), form.uid);
}

/** Builds a `formKey` from a form's fingerprint. */
export function keyOfForm(fingerprint: string, uid: string): string {
  return `${fingerprint} ${uid}`;
}

/**
 * True if an entry finds every party that an earlier form of the entry finds. More names, documents
 * and wallets only find more parties. But if the earlier form had no birth date or country, a new
 * one may exclude a party by contradiction.
 */
export function covers(after: ListEntry, before: ListEntry): boolean {
  return (
    after.type === before.type &&
    hasAll(nameKeys(after), nameKeys(before)) &&
    hasAll(documentKeys(after), documentKeys(before)) &&
    hasAll(bics(after), bics(before)) &&
    hasAll(walletKeys(after), walletKeys(before)) &&
    hasAllEvidence(after.births, before.births) &&
    hasAllEvidence(after.countries, before.countries)
  );
}

const nameKeys = ({ names }: ListEntry) => names.map(({ name, kind }) => `${kind} ${name}`);
const documentKeys = ({ documents }: ListEntry) =>
  documents.map(({ number, country }) => `${country} ${number}`);
const bics = ({ documents }: ListEntry) => documents.filter(isBic).map(({ number }) => number);
const walletKeys = ({ wallets }: ListEntry) => wallets.map(({ address }) => address);

function hasAll(after: readonly string[], before: readonly string[]): boolean {
  const known = new Set(after);
  return before.every((each) => known.has(each));
}

function hasAllEvidence(after: readonly string[], before: readonly string[]): boolean {
  return before.length === 0 ? after.length === 0 : hasAll(after, before);
}

/** The maximum percentage of a list that a publisher may remove within a day without a person. */
const removedPercentMax = 2;
/**
 * The number of entries that may always be removed. In a list of fewer than 50 entries, 2% would
 * allow no removal.
 */
const removedAlways = 1;

/**
 * True if the removed entries are within the daily limit. `entriesOfDayAgo` is the size of the list
 * a day ago.
 */
export function isDailyRemoval(removed: number, entriesOfDayAgo: number): boolean {
  const share = Math.floor((entriesOfDayAgo * removedPercentMax) / 100);
  return removed <= Math.max(removedAlways, share);
}
