import type { DecidedFinding } from "./decided-finding.ts";
import { entryFingerprint } from "./entry-fingerprint.ts";
import type { Reason } from "./evidence.ts";
import type { EntryType, ListEntry } from "./list-entry.ts";
import type { ListVersion } from "./list-version.ts";
import type { Matcher, Party } from "./matcher.ts";
import type { Explanation } from "./name-explanation.ts";
import { isComparedWhole } from "./name-legibility.ts";
import { nameTokens } from "./name-tokens.ts";
import { furtherHits, unreadableName } from "./pseudo-hit.ts";
import { type Verdict, verdicts, worstVerdict } from "./verdict.ts";
import type { WalletFamily } from "./wallet.ts";
import type { WalletAssessment } from "./wallet-assessment.ts";
import type { WalletIndex } from "./wallet-index.ts";

/** Everything that a screening compares with: one consistent state of all lists in force. */
export type ListsInForce = {
  readonly lists: readonly ListVersion[];
  readonly matcher: Matcher;
  readonly wallets: WalletIndex;
  /** The list that an entry of the indexes stands on. */
  listOf(entry: ListEntry): ListVersion;
};

export type ScreeningHit = Explanation & {
  readonly list: string;
  readonly listVersion: string;
  readonly entryUid: string;
  /** SHA-256 over what was compared of the entry, in hexadecimal. */
  readonly entryFingerprint: string;
  readonly entryType: EntryType;
  /** The publisher, where the list joins several; else "". */
  readonly source: string;
  readonly programs: readonly string[];
  /** Which party or wallet of the request, from 0: parties first. */
  readonly subjectIndex: number;
  /** Of the names alone, before the evidence. */
  readonly nameScore: number;
  readonly matchedName: string;
  readonly score: number;
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
};

export type ScreeningKind = "wallet" | "party";

/** What a screening found, before it is stored. */
export type Finding = { readonly verdict: Verdict; readonly hits: readonly ScreeningHit[] };

/** Whom or what a screening is about. */
export type Subject = { readonly merchantId: string; readonly recordId: string };

/** Why a screening was made: its owner asked, or what it rests on changed. */
export type ScreeningTrigger = "request" | "list_change" | "configuration_change" | "decision";

/** A screening as it is kept for ever. */
export type Screening = DecidedFinding & {
  readonly id: string;
  readonly kind: ScreeningKind;
  readonly trigger: ScreeningTrigger;
  readonly subject: Subject;
  readonly lists: readonly ListVersion[];
  readonly configurationVersion: string;
  /** What the wallet risk provider said; absent where none was asked. */
  readonly assessment?: WalletAssessment;
  readonly createdAt: Date;
};

/** More hits than a person reads; the verdict counts them all. */
export const hitsMax = 20;

/** A wallet in the families whose addresses it is compared with. */
export type Wallet = { readonly families: readonly WalletFamily[]; readonly address: string };

/** Whom and what to screen: a person, a company with its owners, their wallets. */
export type ScreeningRequest = {
  readonly parties: readonly Party[];
  readonly wallets: readonly Wallet[];
  /**
   * How many hits to list at most: one more for each party or wallet tells of those beyond.
   * `hitsMax` of the worst where that is not said.
   */
  readonly most?: number;
};

/** Compares all parties and wallets of a request: the verdict is the worst of theirs. */
export function screen(request: ScreeningRequest, inForce: ListsInForce): Finding {
  const { parties, wallets, most = hitsMax } = request;
  const hits = [
    ...parties.flatMap((_party, at) => partyHits(request, at, inForce)),
    ...wallets.flatMap((wallet, at) => walletHits(wallet, parties.length + at, inForce)),
    ...parties.flatMap((party, at) => nameHits(party, at, parties.length)),
  ].sort(worstFirst);
  const beyond = request.most === undefined ? [] : furtherHits(hits.slice(most));
  const verdict = worstVerdict(hits.map((hit) => hit.verdict));
  return { verdict, hits: [...hits.slice(0, most), ...beyond] };
}

/** Says which party of several is meant. */
function whoOf(at: number, count: number): string {
  return count > 1 ? `party ${at + 1} of ${count}: ` : "";
}

/** What a name is by itself that nothing, or not all of it, can be compared with. */
function nameHits(party: Party, at: number, count: number): ScreeningHit[] {
  const verdict = verdictOfName(party);
  return verdict === "clear" ? [] : [unreadableName(party, verdict, at, whoOf(at, count))];
}

function partyHits(
  { parties, most }: ScreeningRequest,
  subjectIndex: number,
  inForce: ListsInForce,
): ScreeningHit[] {
  const party = parties[subjectIndex];
  if (party === undefined) return [];
  const who = whoOf(subjectIndex, parties.length);
  const every = most === undefined ? undefined : Number.POSITIVE_INFINITY;
  return inForce.matcher.match(party, every).map(({ entry, ...hit }) => ({
    ...hit,
    ...placed(entry, inForce),
    subjectIndex,
    reasons: hit.reasons.map((reason) => ({ ...reason, text: who + reason.text })),
  }));
}

/** A listed wallet is a block: addresses are equal or not, there is nothing to weigh. */
function walletHits(wallet: Wallet, subjectIndex: number, inForce: ListsInForce): ScreeningHit[] {
  return inForce.wallets.find(wallet.families, wallet.address).map((hit) => ({
    ...placed(hit.entry, inForce),
    subjectIndex,
    matchedName: hit.matchedName,
    score: 1,
    nameScore: 0,
    verdict: "block",
    reasons: hit.reasons,
    ...{ parts: [], partyLeftOver: [], entryLeftOver: [] },
  }));
}

/** A name of which nothing, or not all, can be compared with others: a person has to look. */
export function verdictOfName({ name, type }: Party): Verdict {
  const isPerson = type === "individual";
  const isBlank = nameTokens(name, isPerson).length === 0;
  return isBlank || !isComparedWhole(name, isPerson) ? "review" : "clear";
}

function placed(entry: ListEntry, inForce: ListsInForce) {
  const { list, version } = inForce.listOf(entry);
  const { uid: entryUid, type: entryType, source, programs } = entry;
  const fingerprint = entryFingerprint(entry);
  return {
    ...{ list, listVersion: version, entryUid, entryType, source, programs },
    entryFingerprint: fingerprint,
  };
}

function worstFirst(a: ScreeningHit, b: ScreeningHit): number {
  return verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict) || b.score - a.score;
}
