import { monitorEventLoopDelay } from "node:perf_hooks";
import { createLog } from "@disburse/chassis/log.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import { quantile } from "@disburse/name-matcher/measure/speed.ts";
import { watchLists } from "../index/watch.ts";
import { packEntries } from "../lists/chunks.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import type { ScreeningIndex } from "../screening/screening-index.ts";
import { measuredStore } from "./measured-store.ts";

/** What holding the index in another thread costs, and what it spares; milliseconds. */
export type IndexFigures = {
  /** One client, one question after the other, nothing else going on. */
  readonly quiet: { readonly half: number; readonly most: number; readonly worst: number };
  /** The same while another version is indexed and takes over. */
  readonly switching: { readonly half: number; readonly most: number; readonly worst: number };
  /** How late the service's own thread was at most, with 200 questions in flight. */
  readonly loopWorstMs: number;
};

const quietQuestions = 500;
const inFlight = 200;

/** Measures an index of these entries, asked for these parties in turn. */
export async function measureIndex(
  entries: readonly ListEntry[],
  parties: readonly Party[],
): Promise<IndexFigures> {
  const versions = [entries, entries.slice(1)].map((some) => packEntries("measured", some));
  let at = 0;
  const store = measuredStore(() => versions[at] ?? []);
  const log = createLog("measure", "silent");
  const watch = watchLists({ store, log });
  const current = (): ScreeningIndex => {
    const index = watch.current();
    if (index === undefined) throw new Error("no index");
    return index;
  };
  const ask = async (question: number): Promise<number> => {
    const party = parties[question % parties.length];
    const started = performance.now();
    await current().screen({ parties: party === undefined ? [] : [party], wallets: [] });
    return performance.now() - started;
  };

  await watch.refresh();
  const quiet = await askInTurn(ask, (asked) => asked < quietQuestions);
  at = 1;
  const switched = watch.refresh().then(() => "switched");
  let isSwitched = false;
  void switched.then(() => {
    isSwitched = true;
  });
  const switching = await askInTurn(ask, () => !isSwitched);
  await switched;

  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await Promise.all(Array.from({ length: inFlight }, (_, question) => ask(question)));
  delay.disable();
  await watch.stop();
  const spread = (times: readonly number[]) => ({
    half: quantile(times, 0.5),
    most: quantile(times, 0.99),
    worst: quantile(times, 1),
  });
  const loopWorstMs = delay.max / 1e6;
  return { quiet: spread(quiet), switching: spread(switching), loopWorstMs };
}

async function askInTurn(
  ask: (question: number) => Promise<number>,
  goOn: (asked: number) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (goOn(times.length)) times.push(await ask(times.length));
  return times;
}
