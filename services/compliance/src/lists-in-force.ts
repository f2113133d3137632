import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListEntry } from "./domain/list-entry.ts";
import type { ListVersion } from "./domain/list-version.ts";
import { matcherBuilder } from "./domain/matcher.ts";
import { matcherConfig } from "./domain/matcher-config.ts";
import type { ListsInForce } from "./domain/screening.ts";
import { buildWalletIndex } from "./domain/wallet-index.ts";
import type { ListStore } from "./list-store.ts";

/** The lists in force, indexed in this process's memory. */
export type ListsWatch = {
  /** `undefined` until a list is in force and read: then nothing can be cleared. */
  current(): ListsInForce | undefined;
  /**
   * Reads the lists again if another version came into force, and swaps the indexes in one step.
   */
  refresh(): Promise<void>;
};

/** Entries indexed in one turn of the event loop: some 10 ms, so that screenings go on between. */
const sliceSize = 250;

type Loaded = { readonly version: ListVersion; readonly entries: readonly ListEntry[] };
type State = { readonly loaded: readonly Loaded[]; readonly inForce: ListsInForce };

/** Watches the lists of a store; the caller refreshes it every few seconds. */
export function watchLists(store: ListStore): ListsWatch {
  let state: State | undefined;
  let running = Promise.resolve();
  const refresh = async (): Promise<void> => {
    const versions = await store.listVersions();
    if (versions.length === 0 || isLoaded(state, versions)) return;
    const loaded = await Promise.all(versions.map((version) => load(store, version, state)));
    state = { loaded, inForce: await index(loaded) };
  };
  return {
    current: () => state?.inForce,
    refresh: () => {
      const next = running.then(refresh);
      running = next.catch(() => undefined);
      return next;
    },
  };
}

function isLoaded(state: State | undefined, versions: readonly ListVersion[]): boolean {
  if (state === undefined || state.loaded.length !== versions.length) return false;
  const importIds = new Set(state.loaded.map(({ version }) => version.importId));
  return versions.every(({ importId }) => importIds.has(importId));
}

async function load(
  store: ListStore,
  version: ListVersion,
  state: State | undefined,
): Promise<Loaded> {
  const known = state?.loaded.find((each) => each.version.importId === version.importId);
  if (known !== undefined) return known;
  const entries = await store.readEntries(version.importId);
  if (entries.length !== version.entries) {
    const read = `${entries.length} of ${version.entries} entries`;
    throw new Error(`${read} of list ${version.list} could be read; the old state stays in force`);
  }
  return { version, entries };
}

async function index(loaded: readonly Loaded[]): Promise<ListsInForce> {
  const matcher = matcherBuilder(matcherConfig);
  const listOf = new Map<ListEntry, ListVersion>();
  for (const { version, entries } of loaded) {
    for (const [at, entry] of entries.entries()) {
      matcher.add(entry);
      listOf.set(entry, version);
      if (at % sliceSize === sliceSize - 1) await nextTurn();
    }
  }
  const wallets = buildWalletIndex(loaded.flatMap(({ entries }) => entries));
  await nextTurn();
  return {
    lists: loaded.map(({ version }) => version),
    matcher: matcher.finish(),
    wallets,
    listOf: (entry) => {
      const version = listOf.get(entry);
      if (version === undefined) throw new Error("an entry that stands on no list");
      return version;
    },
  };
}
