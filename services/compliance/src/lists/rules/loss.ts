import type { EntryDifference, ListEntry } from "./entry.ts";
import type { ListChange } from "./version.ts";

/** A larger loss at once is more likely a broken file than a publisher's decision. */
const lossPercentMax = 2;
/** Of a list under 50 entries, 2% would be none at all. */
const lossAlwaysTaken = 1;

/**
 * Why a list is refused for what it lost against the version in force; `undefined` where it may
 * come into force. Lost is what is no longer on it: a list that exchanges all its entries for
 * others has lost them all. `accepted` is the reason that a person gave for the loss, "" for none.
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
 * How many of the entries that stay have lost a name, a document or a wallet that they are found
 * by: other ones in its place do not make up for it.
 */
export function rewrittenEntries(changed: EntryDifference["changed"]): number {
  return changed.filter(({ before, after }) => losesDetail(before, after)).length;
}

function losesDetail(before: ListEntry, after: ListEntry): boolean {
  const kept = new Set(identifying(after));
  return identifying(before).some((each) => !kept.has(each));
}

/** What a party is recognised by, one text each. */
function identifying({ names, documents, wallets }: ListEntry): string[] {
  return [
    ...names.map(({ name }) => JSON.stringify(["name", name])),
    ...documents.map(({ number, country }) => JSON.stringify(["document", number, country])),
    ...wallets.map(({ address }) => JSON.stringify(["wallet", address])),
  ];
}

/** Why a list is refused in which many entries are found by something else than before. */
export function rewriteProblem(
  rewritten: number,
  inForce: number,
  accepted: string,
): string | undefined {
  const taken = Math.max(lossAlwaysTaken, Math.floor((inForce * lossPercentMax) / 100));
  if (rewritten <= taken || accepted !== "") return undefined;
  const replaced = `${rewritten} of the ${inForce} entries in force lose details they are found by`;
  return `${replaced}, more than ${lossPercentMax}%: give accept_drop_reason where that is right`;
}

/** Why a list is refused whose files look incomplete by themselves, also where none is in force. */
export function gapProblem(gaps: readonly string[], accepted: string): string | undefined {
  if (gaps.length === 0 || accepted !== "") return undefined;
  return `${gaps.join("; ")}: give accept_drop_reason where that is right`;
}

/** What is compared of entries, and stands in other files or at the end of a cell. */
const details = ["names", "documents", "wallets"] as const;
/** An entry that is set right loses some. */
const detailsAlwaysTaken = 10;

/** How many of each detail. */
export type Details = Readonly<Record<(typeof details)[number], number>>;

/** Of the details in force: how many there are, and how many less its entries that stay have. */
export type DetailLoss = { readonly inForce: Details; readonly lost: Details };

/** What a list of these entries loses, which differ so from those in force. */
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
 * Why a list is refused whose entries all stand there, with less of what they are found by: a
 * publisher's file of aliases is empty, or was left out. An entry taken off takes its own along.
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
  const missing = `${lost} of the ${inForce} ${what} in force are missing`;
  return `${missing}, more than ${lossPercentMax}%: give accept_drop_reason where that is right`;
}
