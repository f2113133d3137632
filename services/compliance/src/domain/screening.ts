import type { Reason } from "./evidence.ts";
import type { ListEntry } from "./list-entry.ts";
import type { ListVersion } from "./list-version.ts";
import type { Matcher, Party } from "./matcher.ts";
import { nameTokens } from "./name-tokens.ts";
import { type Verdict, verdicts, worstVerdict } from "./verdict.ts";
import type { WalletFamily } from "./wallet.ts";
import type { WalletIndex } from "./wallet-index.ts";

/** Everything that a screening compares with: one consistent state of all lists in force. */
export type ListsInForce = {
  readonly lists: readonly ListVersion[];
  readonly matcher: Matcher;
  readonly wallets: WalletIndex;
  /** The list that an entry of the indexes stands on. */
  listOf(entry: ListEntry): ListVersion;
};

export type ScreeningHit = {
  readonly list: string;
  readonly listVersion: string;
  readonly entryUid: string;
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

/** A screening as it is kept for ever. */
export type Screening = Finding & {
  readonly id: string;
  readonly kind: ScreeningKind;
  readonly subject: Subject;
  readonly lists: readonly ListVersion[];
  readonly configurationVersion: string;
  readonly createdAt: Date;
};

/** More hits than a person reads; the verdict counts them all. */
const hitsMax = 20;

/** A listed wallet is a block: addresses are equal or not, there is nothing to weigh. */
export function screenWallet(
  families: readonly WalletFamily[],
  address: string,
  inForce: ListsInForce,
): Finding {
  const hits = inForce.wallets.find(families, address).map((hit) => ({
    ...placed(hit.entry, inForce),
    matchedName: hit.matchedName,
    score: 1,
    verdict: "block" as const,
    reasons: hit.reasons,
  }));
  return { verdict: worstVerdict(hits.map((hit) => hit.verdict)), hits: hits.slice(0, hitsMax) };
}

/** Screens a person, or a company with its owners: the verdict is the worst of theirs. */
export function screenParties(parties: readonly Party[], inForce: ListsInForce): Finding {
  const hits = parties.flatMap((party, at) => {
    const who = parties.length > 1 ? `party ${at + 1} of ${parties.length}: ` : "";
    return inForce.matcher.match(party).map(({ entry, ...hit }) => ({
      ...hit,
      ...placed(entry, inForce),
      reasons: hit.reasons.map((reason) => ({ ...reason, text: who + reason.text })),
    }));
  });
  const found = [...hits.map((hit) => hit.verdict), ...parties.map(verdictOfName)];
  return { verdict: worstVerdict(found), hits: hits.sort(worstFirst).slice(0, hitsMax) };
}

/** A name without any letter or digit can be compared with nothing: a person has to look. */
function verdictOfName(party: Party): Verdict {
  return nameTokens(party.name, party.type === "individual").length === 0 ? "review" : "clear";
}

function placed(entry: ListEntry, inForce: ListsInForce) {
  const { list, version } = inForce.listOf(entry);
  return { list, listVersion: version, entryUid: entry.uid };
}

function worstFirst(a: ScreeningHit, b: ScreeningHit): number {
  return verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict) || b.score - a.score;
}
