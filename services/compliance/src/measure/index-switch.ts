import { monitorEventLoopDelay } from "node:perf_hooks";
import { createLog, type Log } from "@disburse/chassis/log.ts";
import type { ListEntry } from "../domain/list-entry.ts";
import type { Party } from "../domain/matcher.ts";
import { type Chunk, packEntries } from "../list-chunks.ts";
import type { StoredList } from "../list-documents.ts";
import { type WatchDeps, watchLists } from "../lists-in-force.ts";
import type { ScreeningIndex } from "../screening-index.ts";
import { quantile } from "./recall.ts";

/** What holding the index in another thread costs, and what it spares; milliseconds. */
export type IndexFigures = {
  /** From stored chunks to the first answer, of several starts. */
  readonly ready: Start;
  /** One client, one question after the other, nothing else going on. */
  readonly quiet: { readonly half: number; readonly most: number; readonly worst: number };
  /** The same while another version is indexed and takes over. */
  readonly switching: { readonly half: number; readonly most: number; readonly worst: number };
  /** How late the service's own thread was at most, with 200 questions in flight. */
  readonly loopWorstMs: number;
};

/** Half of the starts took no longer, and the longest; and of the processor, helpers included. */
export type Start = {
  readonly half: number;
  readonly worst: number;
  readonly cpuHalf: number;
};

const starts = 5;
const quietQuestions = 500;
const inFlight = 200;

/** Measures an index of these entries, asked for these parties in turn. */
export async function measureIndex(
  entries: readonly ListEntry[],
  parties: readonly Party[],
): Promise<IndexFigures> {
  const versions = [entries, entries.slice(1)].map((some) => packEntries("measured", some));
  let at = 0;
  const store = {
    listsInForce: async () => [storedList(versions[at] ?? [])],
    // Threads take bytes over, so each is given some of its own.
    readChunks: async (ids: readonly string[]) => {
      const wanted = new Set(ids);
      return (versions[at] ?? [])
        .filter(({ id }) => wanted.has(id))
        .map(({ id, bytes }) => ({ id, bytes: Uint8Array.from(bytes) }));
    },
  };
  const log = createLog("measure", "silent");
  const ready = await measureStarts(store, log, parties);
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
  return { ready, quiet: spread(quiet), switching: spread(switching), loopWorstMs };
}

/** Starts an index as the service does, and asks it for a party of each type; several times. */
async function measureStarts(
  store: WatchDeps["store"],
  log: Log,
  parties: readonly Party[],
): Promise<Start> {
  const byType = new Map(parties.map((party) => [party.type, party]));
  const [wall, cpu]: [number[], number[]] = [[], []];
  for (let start = 0; start < starts; start += 1) {
    const watch = watchLists({ store, log });
    const used = process.cpuUsage();
    const started = performance.now();
    await watch.refresh();
    await watch.current()?.screen({ parties: [...byType.values()], wallets: [] });
    wall.push(performance.now() - started);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1000);
    await watch.stop();
  }
  return { half: quantile(wall, 0.5), worst: quantile(wall, 1), cpuHalf: quantile(cpu, 0.5) };
}

async function askInTurn(
  ask: (question: number) => Promise<number>,
  goOn: (asked: number) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (goOn(times.length)) times.push(await ask(times.length));
  return times;
}

function storedList(chunks: readonly Chunk[]): StoredList {
  const id = chunks[0]?.id ?? "";
  const version = { list: "measured", version: id, importId: id, checksum: "" };
  return {
    version: { ...version, entries: 0, importedAt: new Date(0) },
    chunks: chunks.map((chunk) => chunk.id),
  };
}
