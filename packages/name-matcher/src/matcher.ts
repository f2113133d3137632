import { type Explanation, explain, nameParts } from "./alignment/explanation.ts";
import type { MatcherConfig } from "./config.ts";
import type { EntryType, NamedEntry, NameKind } from "./entry.ts";
import { documentKey, type Evidence, type Reason, roundScore, weighEvidence } from "./evidence.ts";
import { type NameIndex, type NameIndexBuilder, nameIndexBuilder } from "./search/name-index.ts";
import type { NameMatch } from "./search/search.ts";
import { decide } from "./verdict.ts";

/** Whom to look for. */
export type Party = Evidence & { readonly type: EntryType; readonly name: string };

/** An entry that a party may be. The effects of its reasons add up to its score. */
export type PartyHit<Entry extends NamedEntry = NamedEntry> = Explanation & {
  readonly entry: Entry;
  /** As the list writes it. */
  readonly matchedName: string;
  /** In [0, 1]. */
  readonly score: number;
  /** Of the names alone, before the evidence. */
  readonly nameScore: number;
  readonly verdict: "review" | "block";
  readonly reasons: readonly Reason[];
};

/**
 * Finds the entries that a party may be: best first, none that is clear, at most `most` or else the
 * configuration's `hitsMax`. A person is compared with persons, a company with companies; a person
 * decides about the very same name, or the same document, of the other type, for a party's type is
 * what somebody says of it.
 */
export type Matcher<Entry extends NamedEntry = NamedEntry> = {
  match(party: Party, most?: number): PartyHit<Entry>[];
};

/** Takes entries one by one, so that a long list can be indexed in slices. */
export type MatcherBuilder<Entry extends NamedEntry = NamedEntry> = {
  add(entry: Entry): void;
  finish(): Matcher<Entry>;
};

/** What finds the entries of one type: by name, and by the number of a document. */
type TypeIndex = { readonly names: NameIndex; readonly documents: ReadonlyMap<string, number[]> };
type TypeBuilder = {
  readonly names: NameIndexBuilder;
  readonly documents: Map<string, number[]>;
};

/** A builder of the matcher that stands behind `Matcher` now; a better one takes its place here. */
export function matcherBuilder<Entry extends NamedEntry>(
  config: MatcherConfig,
): MatcherBuilder<Entry> {
  const entries: Entry[] = [];
  const builders = new Map<EntryType, TypeBuilder>();
  return {
    add(entry) {
      let builder = builders.get(entry.type);
      if (builder === undefined) {
        const names = nameIndexBuilder(entry.type === "individual", config);
        builder = { names, documents: new Map() };
        builders.set(entry.type, builder);
      }
      builder.names.add(entry, entries.length);
      addDocuments(entry, entries.length, builder.documents);
      entries.push(entry);
    },
    finish() {
      const indexes = new Map<EntryType, TypeIndex>();
      for (const [type, { names, documents }] of builders) {
        indexes.set(type, { names: names.finish(), documents });
      }
      return {
        match: (party, most = config.hitsMax) =>
          match(party, entries, indexes, config).slice(0, most),
      };
    },
  };
}

/** A matcher of all these entries. */
export function buildMatcher<Entry extends NamedEntry>(
  entries: Iterable<Entry>,
  config: MatcherConfig,
): Matcher<Entry> {
  const builder = matcherBuilder<Entry>(config);
  for (const entry of entries) builder.add(entry);
  return builder.finish();
}

function addDocuments(entry: NamedEntry, entryAt: number, documents: Map<string, number[]>): void {
  for (const { number } of entry.documents) {
    const key = documentKey(number);
    if (key === "") continue;
    const same = documents.get(key);
    if (same === undefined) documents.set(key, [entryAt]);
    else same.push(entryAt);
  }
}

function match<Entry extends NamedEntry>(
  party: Party,
  entries: readonly Entry[],
  indexes: ReadonlyMap<EntryType, TypeIndex>,
  config: MatcherConfig,
): PartyHit<Entry>[] {
  const own = indexes.get(party.type)?.names.search(party.name);
  const found = new Map<number, NameMatch | undefined>(own);
  for (const [entryAt, same] of otherType(party, indexes)) {
    if (same.score >= config.bands.block) found.set(entryAt, same);
  }
  for (const { number } of party.documents) {
    for (const { documents } of indexes.values()) {
      for (const entryAt of documents.get(documentKey(number)) ?? []) {
        if (!found.has(entryAt)) found.set(entryAt, undefined);
      }
    }
  }
  const hits: PartyHit<Entry>[] = [];
  for (const [entryAt, nameMatch] of found) {
    const entry = entries[entryAt];
    const hit = entry === undefined ? undefined : judge(party, entry, nameMatch, config);
    if (hit !== undefined) hits.push(hit);
  }
  return hits.sort((a, b) => b.score - a.score);
}

/** Who a party says it is decides only between these: nobody calls himself a ship. */
export const confusedTypes: ReadonlyMap<EntryType, EntryType> = new Map([
  ["individual", "entity"],
  ["entity", "individual"],
]);

function otherType(
  { type, name }: Party,
  indexes: ReadonlyMap<EntryType, TypeIndex>,
): ReadonlyMap<number, NameMatch> {
  const other = confusedTypes.get(type);
  const index = other === undefined ? undefined : indexes.get(other);
  return index?.names.same(name) ?? new Map();
}

/** Weighs one entry; the words of its reasons are only made for a hit. */
function judge<Entry extends NamedEntry>(
  party: Party,
  entry: Entry,
  found: NameMatch | undefined,
  config: MatcherConfig,
): PartyHit<Entry> | undefined {
  const listed = entry.names[found?.nameAt ?? 0];
  if (listed === undefined) return undefined;
  const aligned = (found?.alignment.score ?? 0) * kindFactor(listed.kind, config);
  const nameScore = found?.isContained ? Math.max(aligned, config.bands.review) : aligned;
  if (party.documents.length === 0 && nameScore < leastThatMatters(config)) return undefined;
  const evidence = weighEvidence(nameScore, party, entry, config);
  const decision = decide(nameScore, evidence, config);
  if (decision.verdict === "clear") return undefined;
  const isOther = entry.type !== party.type;
  return {
    entry,
    matchedName: listed.name,
    score: roundScore(decision.score),
    nameScore: roundScore(nameScore),
    verdict: isOther ? "review" : decision.verdict,
    ...(found === undefined ? unnamed : explain(found.alignment, found.party, found.entry)),
    reasons: [
      ...nameReasons(found, listed.kind, config),
      ...containedReasons(nameScore - aligned),
      ...evidence.reasons,
      ...decision.reasons,
      ...(isOther ? [ofOtherType(entry.type)] : []),
    ],
  };
}

function containedReasons(effect: number): Reason[] {
  const text = "name: all of the listed name stands in the party's, in a row";
  return effect > 0 ? [{ kind: "name", text, effect: roundScore(effect) }] : [];
}

function ofOtherType(type: EntryType): Reason {
  return { kind: "name", text: `type: listed as ${type}, which a person decides`, effect: 0 };
}

/** Under this name score only a document can make a hit: nothing else adds anything. */
function leastThatMatters({ bands, evidence }: MatcherConfig): number {
  return Math.min(bands.review, evidence.nameMin);
}

/** Of a hit that was found by a document alone. */
const unnamed: Explanation = { parts: [], partyLeftOver: [], entryLeftOver: [] };

function kindFactor(kind: NameKind, config: MatcherConfig): number {
  return kind === "weak" ? config.weakAlias : 1;
}

function nameReasons(
  found: NameMatch | undefined,
  kind: NameKind,
  config: MatcherConfig,
): Reason[] {
  if (found === undefined) return [];
  const parts = nameParts(found.alignment, found.party, found.entry, config);
  const reasons: Reason[] = parts.map(({ text, effect }) => ({
    kind: "name",
    text: `name: ${text}`,
    effect,
  }));
  if (kind === "weak") {
    const effect = roundScore(found.alignment.score * (config.weakAlias - 1));
    reasons.push({ kind: "name", text: "name: a weak alias, as the list calls it", effect });
  }
  return reasons;
}
