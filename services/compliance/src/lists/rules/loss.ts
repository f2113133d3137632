import type { EntryDifference, ListEntry } from "./entry.ts";
import type { ListChange } from "./version.ts";

/**
 * The maximum loss in percent. A larger loss is more likely a broken file than a publisher's
 * decision.
 */
const lossPercentMax = 2;
/**
 * The number of entries that any list may lose. In a list of fewer than 50 entries, 2% would allow
 * no loss.
 */
const lossAlwaysTaken = 1;

/**
 * Returns the reason to refuse a list that lost too many entries of the version in force. Returns
 * `undefined` if the list may come into force. A list whose entries are all new has lost all old
 * ones. `accepted` is a person's reason to accept the loss, "" for none.
 */
export function lossProblem(
  change: ListChange,
  inForce: number,
  accepted: string,
): string | undefined {
  const taken = Math.max(lossAlwaysTaken, Math.floor((inForce * lossPercentMax) / 100));
  if (change.removed <= taken || accepted !== "") return undefined;
  return problemOf(change.removed, inForce, "entries");
}

/**
 * Counts the entries that remain but lost a name, document or wallet by which they are found. Added
 * details do not compensate for lost ones.
 */
export function rewrittenEntries(changed: EntryDifference["changed"]): number {
  return changed.filter(({ before, after }) => losesDetail(before, after)).length;
}

function losesDetail(before: ListEntry, after: ListEntry): boolean {
  const kept = new Set(identifying(after));
  return identifying(before).some((each) => !kept.has(each));
}

/** Returns the details that identify a party, each as one text. */
function identifying({ names, documents, wallets }: ListEntry): string[] {
  return [
    ...names.map(({ name }) => JSON.stringify(["name", name])),
    ...documents.map(({ number, country }) => JSON.stringify(["document", number, country])),
    ...wallets.map(({ address }) => JSON.stringify(["wallet", address])),
  ];
}

/** Returns the reason to refuse a list in which many entries lost identifying details. */
export function rewriteProblem(
  rewritten: number,
  inForce: number,
  accepted: string,
): string | undefined {
  const taken = Math.max(lossAlwaysTaken, Math.floor((inForce * lossPercentMax) / 100));
  if (rewritten <= taken || accepted !== "") return undefined;
  const replaced = `${rewritten} of the ${inForce} entries in force would lose details that screening compares`;
  return `${replaced}, more than ${lossPercentMax}%: send accept_drop_reason if this is correct`;
}

/**
 * Returns the reason to refuse files that look incomplete. It applies even if no list is in force.
 */
export function gapProblem(gaps: readonly string[], accepted: string): string | undefined {
  if (gaps.length === 0 || accepted !== "") return undefined;
  return `${gaps.join("; ")}: send accept_drop_reason if this is correct`;
}

/** Compared details that may be lost with a separate file or a truncated cell. */
const details = ["names", "documents", "wallets"] as const;
/** The number of details that any list may lose, because publishers correct entries. */
const detailsAlwaysTaken = 10;

export type Details = Readonly<Record<(typeof details)[number], number>>;

/** The details in force, and the details that the remaining entries have lost. */
export type DetailLoss = { readonly inForce: Details; readonly lost: Details };

/**
 * Computes the details that a list of these entries loses, given its difference from the list in
 * force.
 */
export function detailLoss(
  entries: readonly ListEntry[],
  { added, changed, removed }: EntryDifference,
): DetailLoss {
  const eachOf = (some: (detail: keyof Details) => number): Details => ({
    names: some("names"),
    documents: some("documents"),
    wallets: some("wallets"),
  });
  const count = (some: readonly ListEntry[], detail: keyof Details): number =>
    some.reduce((sum, each) => sum + each[detail].length, 0);
  const [before, after] = [changed.map((each) => each.before), changed.map((each) => each.after)];
  const lost = eachOf((detail) => count(before, detail) - count(after, detail));
  const stayed = eachOf((detail) => count(entries, detail) - count(added, detail));
  const inForce = eachOf((detail) => stayed[detail] + lost[detail] + count(removed, detail));
  return { inForce, lost };
}

/**
 * Returns the reason to refuse a list that has its entries, but lost too many names, documents or
 * wallets. For example, the publisher's file of aliases is empty or missing. Details of removed
 * entries do not count.
 */
export function detailLossProblem(
  { inForce, lost }: DetailLoss,
  accepted: string,
): string | undefined {
  if (accepted !== "") return undefined;
  const taken = (detail: keyof Details): number =>
    Math.max(detailsAlwaysTaken, Math.floor((inForce[detail] * lossPercentMax) / 100));
  const found = details.find((detail) => lost[detail] > taken(detail));
  return found && problemOf(lost[found], inForce[found], found);
}

function problemOf(lost: number, inForce: number, what: string): string {
  const missing = `${lost} of the ${inForce} ${what} in force are missing from the new files`;
  return `${missing}, more than ${lossPercentMax}%: send accept_drop_reason if this is correct`;
}
