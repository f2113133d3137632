import { matcherConfig } from "@disburse/name-matcher/config.ts";
import type { Hit, Matcher, Party } from "@disburse/name-matcher/matcher.ts";
import { nameQualityIssue } from "@disburse/name-matcher/name-quality.ts";
import { type Verdict, verdicts, worstVerdict } from "@disburse/name-matcher/verdict.ts";
import type { Bank, BankIndex } from "../../banks/rules/bank.ts";
import { entryFingerprint, type ListEntry } from "../../lists/rules/entry.ts";
import type { ListVersion } from "../../lists/rules/version.ts";
import type { WalletAssessment } from "../../wallets/rules/assessment.ts";
import type { Wallet, WalletIndex } from "../../wallets/rules/wallet.ts";
import type { DecidedFinding } from "./decided-finding.ts";
import { type Finding, hitsMax, overflowHits, type ScreeningHit, unreadableName } from "./hit.ts";

/** The data to compare with: one consistent state of all lists in force. */
export type ListsInForce = {
  readonly lists: readonly ListVersion[];
  readonly matcher: Matcher<ListEntry>;
  readonly wallets: WalletIndex;
  readonly banks: BankIndex;
  /** Returns the list of an index entry. */
  listOf(entry: ListEntry): ListVersion;
};

export type ScreeningKind = "wallet" | "party";

/** The record that a screening belongs to. */
export type Subject = { readonly merchantId: string; readonly recordId: string };

/**
 * The cause of a screening: a request of the record's owner, or a change of lists, configuration or
 * decisions.
 */
export type ScreeningTrigger = "request" | "list_change" | "configuration_change" | "decision";

/** A screening as it is kept forever. */
export type Screening = DecidedFinding & {
  readonly id: string;
  readonly kind: ScreeningKind;
  readonly trigger: ScreeningTrigger;
  readonly subject: Subject;
  readonly lists: readonly ListVersion[];
  readonly configurationVersion: string;
  /** The wallet risk provider's assessment; absent if it was not queried. */
  readonly assessment?: WalletAssessment;
  readonly createdAt: Date;
};

export type ScreeningQuery = {
  readonly parties: readonly Party[];
  readonly wallets: readonly Wallet[];
  /** Banks that hold the accounts of a party, and custodians of its wallet. */
  readonly banks?: readonly Bank[];
  /**
   * The maximum number of listed hits. By default, the `hitsMax` gravest are listed. The rest are
   * combined into one more hit for each party, wallet or bank.
   */
  readonly most?: number;
};

/** One party, wallet or bank of a request. Units are compared one at a time. */
export type ScreeningUnit = {
  /**
   * The position of the party, wallet or bank in the request. Parties come first, then wallets,
   * then banks, counted from 0.
   */
  readonly at: number;
  /** The number of parties in the request. */
  readonly count: number;
  readonly of: Party | Wallet | Bank;
  readonly most: number | undefined;
};

/** The hits of one unit: hits of list entries, and the hit of a name that cannot be compared. */
export type UnitHits = {
  readonly compared: readonly ScreeningHit[];
  readonly unreadable: readonly ScreeningHit[];
};

/** Compares a whole request. The verdict is the worst of all its units. */
export function screen(request: ScreeningQuery, inForce: ListsInForce): Finding {
  return findingOf(
    request,
    unitsOf(request).map((unit) => screenUnit(unit, inForce)),
  );
}

/** Returns the parties, wallets and banks of a request one by one. */
export function unitsOf({ parties, wallets, banks = [], most }: ScreeningQuery): ScreeningUnit[] {
  const count = parties.length;
  return [...parties, ...wallets, ...banks].map((of, at) => ({ at, count, of, most }));
}

export function screenUnit(unit: ScreeningUnit, inForce: ListsInForce): UnitHits {
  const { at, of } = unit;
  if ("address" in of) return { compared: walletHits(of, at, inForce), unreadable: [] };
  if ("bic" in of) return bankHits(of, unit, inForce);
  return { compared: partyHits(of, unit, inForce), unreadable: nameHits(of, unit) };
}

/** Combines the hits of all units, in their order, to the finding of a request. */
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

/** Returns a text that identifies the party, if the request has several. */
function whoOf(at: number, count: number): string {
  return count > 1 ? `party ${at + 1} of ${count}: ` : "";
}

/** Returns the hit of a name that cannot be compared, or not completely. */
function nameHits(party: Party, { at, count }: ScreeningUnit): ScreeningHit[] {
  const problem = nameQualityIssue(party.name, party.type === "individual");
  return problem === undefined ? [] : [unreadableName(party, problem, at, whoOf(at, count))];
}

function partyHits(party: Party, unit: ScreeningUnit, inForce: ListsInForce): ScreeningHit[] {
  const who = whoOf(unit.at, unit.count);
  const every = unit.most === undefined ? undefined : Number.POSITIVE_INFINITY;
  return inForce.matcher.match(party, { most: every }).map((hit) => ({
    ...namedHit(hit, unit, inForce),
    reasons: hit.reasons.map((reason) => ({ ...reason, text: who + reason.text })),
  }));
}

function namedHit(found: Hit<ListEntry>, { at }: ScreeningUnit, inForce: ListsInForce) {
  const { entry, contained: _decided, ...hit } = found;
  return { ...hit, ...placed(entry, inForce), subjectIndex: at };
}

/**
 * Compares a bank or custodian. A listed BIC is a block, because it identifies the bank. A listed name is at
 * most a review, because many banks share a name, and the bank is not the party itself.
 */
function bankHits(bank: Bank, unit: ScreeningUnit, inForce: ListsInForce): UnitHits {
  const { at: subjectIndex } = unit;
  const identified = inForce.banks.find(bank.bic).map((entry) => ({
    ...placed(entry, inForce),
    subjectIndex,
    matchedName: entry.names[0]?.name ?? "",
    score: 1,
    nameScore: 0,
    verdict: "block" as const,
    reasons: [{ kind: "bank" as const, text: `bank: the BIC ${bank.bic} is listed`, effect: 1 }],
    parts: [],
    partyLeftOver: [],
    entryLeftOver: [],
  }));
  if (bank.name === "") return { compared: identified, unreadable: [] };
  const party: Party = {
    type: "entity",
    name: bank.name,
    date: "",
    countries: [],
    documents: [],
  };
  const known = new Set(identified.map(({ list, entryUid }) => `${list} ${entryUid}`));
  // Searches without a limit. Otherwise hits that share only trade words could displace relevant
  // ones.
  const named = inForce.matcher
    .match(party, { most: Number.POSITIVE_INFINITY })
    .filter(identifiesBank)
    .map((hit) => ({ ...namedHit(hit, unit, inForce), ...nameOfBank(hit) }))
    .filter((hit) => !known.has(`${hit.list} ${hit.entryUid}`));
  return {
    compared: [...identified, ...named],
    unreadable: nameHits(party, { ...unit, count: 1 }),
  };
}

/**
 * True if a hit shares more than common trade words (`First Bank`) with the bank's name. A false
 * hit would hold the payments to every customer of the bank.
 */
function identifiesBank({ nameScore, contained, parts }: Hit): boolean {
  const { bands, bankNameMin, tokens } = matcherConfig;
  if (contained || nameScore >= bands.block) return true;
  return nameScore >= bankNameMin && parts.some(({ weight }) => weight > tokens.trade);
}

function nameOfBank({ verdict, reasons }: Hit) {
  const limited: Verdict = verdict === "block" ? "review" : verdict;
  const text = "bank or custodian: a match by name alone leads to a review, not a block";
  return { verdict: limited, reasons: [...reasons, { kind: "bank" as const, text, effect: 0 }] };
}

/** Compares a wallet. A listed address is always a block. */
function walletHits(wallet: Wallet, subjectIndex: number, inForce: ListsInForce): ScreeningHit[] {
  return inForce.wallets.find(wallet.families, wallet.address).map((hit) => ({
    ...placed(hit.entry, inForce),
    subjectIndex,
    matchedName: hit.matchedName,
    score: 1,
    nameScore: 0,
    verdict: "block",
    reasons: hit.reasons,
    parts: [],
    partyLeftOver: [],
    entryLeftOver: [],
  }));
}

function placed(entry: ListEntry, inForce: ListsInForce) {
  const { list, version } = inForce.listOf(entry);
  const { uid: entryUid, type: entryType, source, programs } = entry;
  const fingerprint = entryFingerprint(entry);
  return {
    list,
    listVersion: version,
    entryUid,
    entryType,
    source,
    programs,
    entryFingerprint: fingerprint,
  };
}

export function worstFirst(a: ScreeningHit, b: ScreeningHit): number {
  return verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict) || b.score - a.score;
}
