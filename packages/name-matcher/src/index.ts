// biome-ignore-all lint/performance/noBarrelFile: a program imports a package from one file.
export { type MatcherConfig, matcherConfig } from "./config.ts";
export type { EntryType, ListedName, NamedEntry, NameKind } from "./entry.ts";
export { documentKey, type Evidence, type PartyDocument, type Reason } from "./evidence.ts";
export {
  buildMatcher,
  type Matcher,
  type MatcherBuilder,
  matcherBuilder,
  type Party,
  type PartyHit,
} from "./matcher.ts";
export { nameProblem } from "./name/legibility.ts";
export { entryKeys, partyKeys, reverseKeysVersion } from "./reverse-keys.ts";
export { type Verdict, verdicts, worstVerdict } from "./verdict.ts";
