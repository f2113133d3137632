import { createHash } from "node:crypto";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import { matcherConfig } from "@disburse/name-matcher/config.ts";
import { type CountryRules, withCountries } from "../countries/rules/country.ts";
import type { StoredList } from "../lists/documents.ts";
import { type ListVersion, missingLists } from "../lists/rules/version.ts";
import type { ListStore } from "../lists/store.ts";
import type { Finding } from "../screening/rules/hit.ts";
import type { IndexWatch, ScreeningIndex } from "../screening/screening-index.ts";
import { type IndexThread, startIndexThread } from "./thread.ts";

export type WatchDeps = {
  readonly store: Pick<ListStore, "listsInForce" | "readChunks">;
  readonly log: Log;
  /**
   * Lists that must be in force. Without all of them there is no index, because their parties would
   * be cleared.
   */
  readonly required?: readonly string[];
  /** Countries that lead to hits, for every subject. */
  readonly countries?: CountryRules;
  /** Notified after a new index replaced one with a different stamp. */
  readonly switched?: Wake;
  readonly startThread?: typeof startIndexThread;
};

type State = { readonly index: ScreeningIndex; readonly thread: IndexThread };

/**
 * Builds and replaces the index when lists change. The caller calls `refresh` every few seconds,
 * and `stop` at shutdown.
 */
export function watchLists({
  store,
  log,
  required = [],
  countries = new Map(),
  switched,
  startThread = startIndexThread,
}: WatchDeps): IndexWatch & { stop(): Promise<void> } {
  let state: State | undefined;
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  /** All running threads. A thread of an earlier index responds until it is retired. */
  const threads = new Set<IndexThread>();
  const isWhole = wholeness(required, log);
  const rules = { countries, version: versionOf(countries) };

  const refresh = (): Promise<void> => {
    const next = running.then(refreshNow);
    running = next.catch(() => undefined);
    return next;
  };
  const replaceDead = (cause: unknown): void => {
    log.error({ err: cause }, "the thread of the screening index ended; starting another");
    refresh().catch((error: unknown) =>
      log.error({ err: error }, "building the screening index failed; it will be retried"),
    );
  };
  const refreshNow = async (): Promise<void> => {
    const lists = isStopped ? [] : await store.listsInForce();
    if (lists.length === 0 || !isWhole(lists)) return;
    const stamp = stampOf(lists, rules.version);
    const versions = lists.map(({ version }) => version);
    const before = state;
    if (before?.index.stamp === stamp && before.thread.isAlive()) {
      // The entries have not changed, only the names of versions. The thread is kept.
      state = { ...before, index: screeningIndex(before.thread, versions, stamp, rules) };
      return;
    }
    const packed = [];
    for (const { version, chunks } of lists) {
      packed.push({ version, chunks: await store.readChunks(chunks) });
    }
    const thread = await startThread(packed, replaceDead);
    const index = screeningIndex(thread, versions, stamp, rules);
    state = { index, thread };
    threads.add(thread);
    before?.thread.retire();
    for (const each of threads) if (!each.isAlive()) threads.delete(each);
    if (before?.index.stamp !== stamp) switched?.notify();
  };
  return {
    current: () => state?.index,
    refresh,
    stop: async () => {
      isStopped = true;
      await running;
      for (const thread of threads) await thread.stop();
    },
  };
}

/** Watches the lists of a store, and polls them every `pollMs`. */
export async function startWatch(deps: WatchDeps, pollMs: number) {
  const { log } = deps;
  const watch = watchLists(deps);
  // The first read happens before the service accepts requests, so that it can respond at once. If
  // this read fails, screening is refused until the loop succeeds.
  await watch
    .refresh()
    .catch((error: unknown) =>
      log.error(
        { err: error },
        "reading the sanctions lists failed; screening is refused until a retry succeeds",
      ),
    );
  const run = () => watch.refresh().then(() => false);
  const loop = startLoop({ name: "lists", everyMs: pollMs, log, run });
  const stop = async () => {
    await loop.stop();
    await watch.stop();
  };
  return { ...watch, stop };
}

/**
 * Returns a check that all required lists are in force. It logs when the set of missing lists
 * changes.
 */
function wholeness(required: readonly string[], log: Log) {
  let logged = "";
  return (inForce: readonly StoredList[]): boolean => {
    const missing = missingLists(required, inForce);
    if (missing.length > 0 && logged !== missing.join()) {
      log.warn({ missing }, "screening is refused until the missing lists are in force");
    }
    logged = missing.join();
    return missing.length === 0;
  };
}

type Rules = { readonly countries: CountryRules; readonly version: string };

/** Returns the version of all rules: the matcher's, with a digest of the operator's countries. */
function versionOf(countries: CountryRules): string {
  if (countries.size === 0) return matcherConfig.version;
  const digest = hashOf([...countries].sort());
  return `${matcherConfig.version}+countries.${digest.slice(0, 8)}`;
}

/** Returns a stamp of all data that affects results: the chunks of entries in force, and the rules. */
function stampOf(lists: readonly StoredList[], rules: string): string {
  return hashOf([rules, lists.map(({ version, chunks }) => [version.list, chunks])]);
}

const hashOf = (content: unknown) =>
  createHash("sha256").update(JSON.stringify(content)).digest("hex");

function screeningIndex(
  thread: IndexThread,
  lists: readonly ListVersion[],
  stamp: string,
  { countries, version }: Rules,
): ScreeningIndex {
  const versions = new Map(lists.map(({ list, version }) => [list, version]));
  const named = (finding: Finding): Finding => ({
    ...finding,
    hits: finding.hits.map((hit) => ({
      ...hit,
      listVersion: versions.get(hit.list) ?? hit.listVersion,
    })),
  });
  return {
    lists,
    configurationVersion: version,
    configurationRevision: matcherConfig.revision,
    stamp,
    screen: async (request, waiter) =>
      withCountries(named(await thread.screen(request, waiter)), request, countries),
  };
}
