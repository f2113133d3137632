import { entryFingerprint, isBic, type ListEntry } from "./entry.ts";

/**
 * Forms of entries that stay in force although the list no longer has them: no person has confirmed
 * yet that they go.
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

/** Names a form of an entry: what is compared of it, under its uid. */
export function formKey(form: ListEntry): string {
  return keyOfForm(entryFingerprint(form), form.uid);
}

/** `formKey`, of a form's fingerprint. */
export function keyOfForm(fingerprint: string, uid: string): string {
  return `${fingerprint} ${uid}`;
}

/**
 * Whether an entry finds every party that an earlier form of it finds. More names, documents and
 * wallets only find more. A first birth date or country is different: it can contradict.
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

/** A publisher removes this share of its list within a day without a person, and no more. */
const removedPercentMax = 2;
/** Of a list under 50 entries, 2% would be none at all. */
const removedAlways = 1;

/** Whether so many entries of the list of a day ago may have gone without a person. */
export function isDailyRemoval(removed: number, entriesOfDayAgo: number): boolean {
  const share = Math.floor((entriesOfDayAgo * removedPercentMax) / 100);
  return removed <= Math.max(removedAlways, share);
}
