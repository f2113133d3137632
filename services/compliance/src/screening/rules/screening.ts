import type { Matcher, Party } from "@disburse/name-matcher/matcher.ts";
import { nameQualityIssue } from "@disburse/name-matcher/name-quality.ts";
import { verdicts, worstVerdict } from "@disburse/name-matcher/verdict.ts";
import { entryFingerprint, type ListEntry } from "../../lists/rules/entry.ts";
import type { ListVersion } from "../../lists/rules/version.ts";
import type { WalletAssessment } from "../../wallets/rules/assessment.ts";
import type { Wallet, WalletIndex } from "../../wallets/rules/wallet.ts";
import type { DecidedFinding } from "./decided-finding.ts";
import { type Finding, hitsMax, overflowHits, type ScreeningHit, unreadableName } from "./hit.ts";

/** Everything that a screening compares with: one consistent state of all lists in force. */
export type ListsInForce = {
  readonly lists: readonly ListVersion[];
  readonly matcher: Matcher<ListEntry>;
  readonly wallets: WalletIndex;
  /** The list that an entry of the indexes stands on. */
  listOf(entry: ListEntry): ListVersion;
};

/** What a screening is about. */
export type ScreeningKind = "wallet" | "party";

/** Whom or what a screening is about. */
export type Subject = { readonly merchantId: string; readonly recordId: string };

/** Why a screening was made: its owner's request, or a change of what it rests on. */
export type ScreeningTrigger = "request" | "list_change" | "configuration_change" | "decision";

/** A screening as it is kept forever. */
export type Screening = DecidedFinding & {
  readonly id: string;
  readonly kind: ScreeningKind;
  readonly trigger: ScreeningTrigger;
  readonly subject: Subject;
  readonly lists: readonly ListVersion[];
  readonly configurationVersion: string;
  /** Of the wallet risk provider; absent where it was not queried. */
  readonly assessment?: WalletAssessment;
  readonly createdAt: Date;
};

/** Whom and what to screen: a person, a company with its owners, their wallets. */
export type ScreeningQuery = {
  readonly parties: readonly Party[];
  readonly wallets: readonly Wallet[];
  /**
   * How many hits to list at most; one more for each party or wallet stands for those beyond. By
   * default `hitsMax` of the worst.
   */
  readonly most?: number;
};

/** One party or wallet of a request: what is compared at a time. */
export type ScreeningUnit = {
  /** Which party or wallet of the request, from 0: parties first. */
  readonly at: number;
  /** Parties of the request. */
  readonly count: number;
  readonly of: Party | Wallet;
  /** As in the request. */
  readonly most: number | undefined;
};

/** The hits of one unit: those compared with entries, and those of a name that cannot be. */
export type UnitHits = {
  readonly compared: readonly ScreeningHit[];
  readonly unreadable: readonly ScreeningHit[];
};

/** Compares all parties and wallets of a request: the verdict is the worst of theirs. */
export function screen(request: ScreeningQuery, inForce: ListsInForce): Finding {
  return findingOf(
    request,
    unitsOf(request).map((unit) => screenUnit(unit, inForce)),
  );
}

/** The parties and wallets of a request, one by one. */
export function unitsOf({ parties, wallets, most }: ScreeningQuery): ScreeningUnit[] {
  const count = parties.length;
  return [...parties, ...wallets].map((of, at) => ({ at, count, of, most }));
}

/** Compares one party or wallet. */
export function screenUnit(unit: ScreeningUnit, inForce: ListsInForce): UnitHits {
  const { at, of } = unit;
  if ("address" in of) return { compared: walletHits(of, at, inForce), unreadable: [] };
  return { compared: partyHits(of, unit, inForce), unreadable: nameHits(of, unit) };
}

/** What was found of a request, from the hits of all its units in their order. */
export function findingOf({ most }: ScreeningQuery, units: readonly UnitHits[]): Finding {
  const listed = most ?? hitsMax;
  const hits = [
    ...units.flatMap(({ compared }) => compared),
    ...units.flatMap(({ unreadable }) => unreadable),
  ].sort(worstFirst);
  const beyond = most === undefined ? [] : overflowHits(hits.slice(listed));
  const verdict = worstVerdict(hits.map((hit) => hit.verdict));
  return { verdict, hits: [...hits.slice(0, listed), ...beyond] };
}

/** Says which party of several is meant. */
function whoOf(at: number, count: number): string {
  return count > 1 ? `party ${at + 1} of ${count}: ` : "";
}

/** The hit of a name that cannot be compared, or not whole. */
function nameHits(party: Party, { at, count }: ScreeningUnit): ScreeningHit[] {
  const problem = nameQualityIssue(party.name, party.type === "individual");
  return problem === undefined ? [] : [unreadableName(party, problem, at, whoOf(at, count))];
}

function partyHits(party: Party, unit: ScreeningUnit, inForce: ListsInForce): ScreeningHit[] {
  const { at: subjectIndex, count, most } = unit;
  const who = whoOf(subjectIndex, count);
  const every = most === undefined ? undefined : Number.POSITIVE_INFINITY;
  return inForce.matcher.match(party, { most: every }).map(({ entry, ...hit }) => ({
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
