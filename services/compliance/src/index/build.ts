import { matcherConfig } from "@disburse/name-matcher/config.ts";
import { matcherBuilder } from "@disburse/name-matcher/matcher.ts";
import { buildBankIndex } from "../banks/rules/bank.ts";
import { type Chunk, chunkLines, lineEntry } from "../lists/chunks.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import type { ListVersion } from "../lists/rules/version.ts";
import type { ListsInForce } from "../screening/rules/screening.ts";
import { buildWalletIndex } from "../wallets/rules/wallet.ts";

/** A stored list that is to be indexed. */
export type PackedList = { readonly version: ListVersion; readonly chunks: readonly Chunk[] };

/**
 * Indexes all lists. This takes about a second for all public lists, so run it in a worker thread.
 */
export function indexLists(packed: readonly PackedList[]): ListsInForce {
  const matcher = matcherBuilder<ListEntry>(matcherConfig);
  const versionOf = new Map<ListEntry, ListVersion>();
  for (const { version, chunks } of packed) {
    for (const chunk of chunks) {
      for (const line of chunkLines(chunk)) {
        const entry = lineEntry(line);
        matcher.add(entry);
        versionOf.set(entry, version);
      }
    }
  }
  return {
    lists: packed.map(({ version }) => version),
    matcher: matcher.finish(),
    wallets: buildWalletIndex(versionOf.keys()),
    banks: buildBankIndex(versionOf.keys()),
    listOf: (entry) => {
      const version = versionOf.get(entry);
      if (version === undefined) throw new Error("a list entry belongs to no list version");
      return version;
    },
  };
}
