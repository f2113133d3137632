import type { MatcherConfig } from "./config.ts";
import type { EntryType, NamedEntry } from "./entry.ts";
import { documentKey, type Evidence, type Reason, roundScore, weighEvidence } from "./evidence.ts";
import { alignmentReasons, type Explanation, explain } from "./explanation.ts";
import { type NameIndex, nameIndexBuilder } from "./index/name-index.ts";
import type { NameMatch } from "./index/search.ts";
import { decide, type Verdict, verdicts } from "./verdict.ts";

/** A person or company to screen, with the data that the party states. */
export type Party = Evidence & { readonly type: EntryType; readonly name: string };

/** An entry that may be the party. The effects of its reasons add up to its score. */
export type Hit<Entry extends NamedEntry = NamedEntry> = Explanation & {
  readonly entry: Entry;
  /** The name in the spelling of the list. */
  readonly matchedName: string;
  /** A value in [0, 1], to four decimals. */
  readonly score: number;
  /** The score of the names alone, before the evidence; in [0, 1], to four decimals. */
  readonly nameScore: number;
  /** True if the party's name contains every word of `matchedName`; see `index/containment.ts`. */
  readonly contained: boolean;
  /** The verdict of this hit. It is `clear` only if `MatchOptions.clearFrom` requests such hits. */
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
};

/** Limits on the hits of one search. */
export type MatchOptions = {
  /** Maximum hits to return; by default `hitsMax` of the configuration. */
  readonly most?: number | undefined;
  /** Also returns clear hits from this score on, in [0, 1], for a benchmark. By default none. */
  readonly clearFrom?: number | undefined;
};

/**
 * Finds the entries that may be a party, sorted by verdict (worst first) and score. A party is
 * compared with entries of its own type. Parties state their own type, which may be wrong. So an
 * exactly equal name of the other type, or an equal document number, also gives a review.
 */
export type Matcher<Entry extends NamedEntry = NamedEntry> = {
  match(party: Party, options?: MatchOptions): Hit<Entry>[];
};

/** Adds entries one by one, so that a long list can be indexed in slices. */
export type MatcherBuilder<Entry extends NamedEntry = NamedEntry> = {
  add(entry: Entry): void;
  finish(): Matcher<Entry>;
};

/** The entries of one type, by name and by the keys of their document numbers. */
type TypeIndex<Names> = { readonly names: Names; readonly documents: Map<string, number[]> };
type Indexes = ReadonlyMap<EntryType, TypeIndex<NameIndex>>;

/** Starts a matcher without entries. */
export function matcherBuilder<Entry extends NamedEntry>(
  config: MatcherConfig,
): MatcherBuilder<Entry> {
  const entries: Entry[] = [];
  const builders = new Map<EntryType, TypeIndex<ReturnType<typeof nameIndexBuilder>>>();
  return {
    add(entry) {
      let builder = builders.get(entry.type);
      if (builder === undefined) {
        const names = nameIndexBuilder(entry.type === "individual", config);
        builder = { names, documents: new Map() };
        builders.set(entry.type, builder);
      }
      const { names, documents } = builder;
      names.add(entry, entries.length);
      for (const { number } of entry.documents) {
        const key = documentKey(number);
        if (key !== "") documents.set(key, [...(documents.get(key) ?? []), entries.length]);
      }
      entries.push(entry);
    },
    finish() {
      const persons = builders.get("individual")?.names.finish();
      const isPersonsWord = (canonical: string): boolean => persons?.hasWord(canonical) ?? false;
      const indexes: Indexes = new Map(
        builders.entries().map(([type, { names, documents }]) => {
          const isPerson = type === "individual" && persons !== undefined;
          return [type, { names: isPerson ? persons : names.finish(isPersonsWord), documents }];
        }),
      );
      return {
        match: (party, { most = config.hitsMax, clearFrom = Number.POSITIVE_INFINITY } = {}) =>
          match(party, { entries, indexes, config, clearFrom }).slice(0, most),
      };
    },
  };
}

/** Builds a matcher of all these entries. */
export function buildMatcher<Entry extends NamedEntry>(
  entries: Iterable<Entry>,
  config: MatcherConfig,
): Matcher<Entry> {
  const builder = matcherBuilder<Entry>(config);
  for (const entry of entries) builder.add(entry);
  return builder.finish();
}

/** For each type, the type that a party may state by mistake. */
export const confusedTypes: ReadonlyMap<EntryType, EntryType> = new Map([
  ["individual", "entity"],
  ["entity", "individual"],
]);

type Searched<Entry> = {
  readonly entries: readonly Entry[];
  readonly indexes: Indexes;
  readonly config: MatcherConfig;
  readonly clearFrom: number;
};

function match<Entry extends NamedEntry>(party: Party, searched: Searched<Entry>): Hit<Entry>[] {
  const { entries, indexes, config } = searched;
  const own = indexes.get(party.type)?.names.search(party.name);
  const found = new Map<number, NameMatch | undefined>(own);
  const otherType = confusedTypes.get(party.type);
  const other = otherType === undefined ? undefined : indexes.get(otherType);
  for (const [entryAt, match] of other?.names.searchOtherType(party.name) ?? []) {
    const isSame = match.score >= config.bands.block;
    if (isSame || match.contained !== undefined) found.set(entryAt, match);
  }
  for (const { number } of party.documents) {
    for (const { documents } of indexes.values()) {
      for (const entryAt of documents.get(documentKey(number)) ?? []) {
        if (!found.has(entryAt)) found.set(entryAt, undefined);
      }
    }
  }
  const hits: Hit<Entry>[] = [];
  for (const [entryAt, nameMatch] of found) {
    const entry = entries[entryAt];
    const hit = entry === undefined ? undefined : judge(party, entry, nameMatch, searched);
    if (hit !== undefined) hits.push(hit);
  }
  return hits.sort(worstFirst);
}

function worstFirst(a: Hit, b: Hit): number {
  return verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict) || b.score - a.score;
}

/** Weighs one entry. `found` is undefined if only a document number matches. */
function judge<Entry extends NamedEntry>(
  party: Party,
  entry: Entry,
  found: NameMatch | undefined,
  { config, clearFrom }: Searched<Entry>,
): Hit<Entry> | undefined {
  const { bands, weakAlias } = config;
  const nameScore = found?.score ?? 0;
  const { contained, initials } = found ?? {};
  // Below this name score, only an equal document number can raise the result enough.
  const least = Math.min(bands.review, config.evidence.nameMin, clearFrom);
  const isByRule = contained !== undefined || initials !== undefined;
  const mayClear = !isByRule && party.documents.length === 0;
  if (mayClear && nameScore < least) return undefined;
  const listed = entry.names[found?.nameAt ?? 0];
  if (listed === undefined) return undefined;
  const evidence = weighEvidence(nameScore, party, entry, config);
  const decision = decide(nameScore, evidence, { contained, initials }, config);
  if (decision.verdict === "clear" && evidence.score < clearFrom) return undefined;
  const reasons: Reason[] = [];
  const because = (text: string, effect: number): void => {
    reasons.push({ kind: "name", text, effect: roundScore(effect) });
  };
  if (found !== undefined) {
    reasons.push(...alignmentReasons(found, config));
    if (listed.kind === "weak") {
      because("name: a weak alias, as the list calls it", found.alignment.score * (weakAlias - 1));
    }
  }
  reasons.push(...evidence.reasons, ...decision.reasons);
  const isOther = entry.type !== party.type;
  if (isOther) because(`type: listed as ${entry.type}, which a person decides`, 0);
  return {
    entry,
    matchedName: listed.name,
    score: roundScore(evidence.score),
    nameScore: roundScore(nameScore),
    contained: contained !== undefined,
    verdict: isOther && decision.verdict === "block" ? "review" : decision.verdict,
    ...(found === undefined ? { parts: [], partyLeftOver: [], entryLeftOver: [] } : explain(found)),
    reasons,
  };
}
