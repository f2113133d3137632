import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Code } from "@connectrpc/connect";
import { silentLog } from "@disburse/chassis/log.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { screen } from "../screening/rules/screening.ts";
import type { ScreeningIndex } from "../screening/screening-index.ts";
import { memoryLists, people, person, personParty } from "../test-lists.ts";
import { indexLists } from "./build.ts";
import { startIndexThread } from "./thread.ts";
import { watchLists } from "./watch.ts";

let store: ReturnType<typeof memoryLists>;
const switched = createWake();
let watch: ReturnType<typeof watchLists>;
beforeEach(() => {
  store = memoryLists();
  watch = watchLists({ store, log: silentLog, switched });
});
afterEach(async () => {
  vi.useRealTimers();
  await watch.stop();
});

function current(): ScreeningIndex {
  const index = watch.current();
  if (index === undefined) throw new Error("no index");
  return index;
}
const requestOf = (name: string) => ({ parties: [personParty(name)], wallets: [] });
const found = async (name: string, index = current()) =>
  (await index.screen(requestOf(name))).hits.map(({ entryUid, listVersion }) => [
    entryUid,
    listVersion,
  ]);
const ofMerchant = (merchantId: string, name: string) =>
  current().screen(requestOf(name), { merchantId });
const unavailable = expect.objectContaining({ code: Code.Unavailable });

/** The longest time, in milliseconds, that this thread works without a pause. */
async function longestTurn(meanwhile: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = meanwhile.finally(() => {
    isDone = true;
  });
  let longest = 0;
  let { user, system } = process.threadCpuUsage();
  while (!isDone) {
    await nextTurn();
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - user - system);
    ({ user, system } = now);
  }
  await ended;
  return longest / 1_000;
}

describe("watchLists", () => {
  it("has no index while no list is in force", async () => {
    await watch.refresh();
    expect(watch.current()).toBeUndefined();
  });

  it("has none before each required list is in force, and logs which ones are missing", async () => {
    const warn = vi.fn();
    const required = ["l", "m"];
    const careful = watchLists({ store, required, log: { ...silentLog, warn } as never });
    store.put("l", "1", people(3));
    store.put("other", "1", people(3));
    for (const _ of [1, 2]) {
      await careful.refresh();
      expect(careful.current()).toBeUndefined();
    }
    expect(warn).toHaveBeenCalledExactlyOnceWith({ missing: ["m"] }, expect.any(String));
    store.put("m", "1", [person("a", "Tamerlan Zhdanovski")]);
    await careful.refresh();
    expect(await found("Tamerlan Zhdanovski", careful.current())).toEqual([["a", "1"]]);
    await careful.stop();
  });

  it("returns from another thread the matcher's results in this one", async () => {
    const entries = people(300);
    store.put("l", "1", entries);
    await watch.refresh();
    const [stored] = await store.listsInForce();
    if (stored === undefined) throw new Error("no list");
    const chunks = await store.readChunks(stored.chunks);
    const here = indexLists([{ version: stored.version, chunks }]);
    for (const entry of entries.slice(0, 20)) {
      const request = requestOf(entry.names[0]?.name ?? "");
      expect(await current().screen(request)).toEqual(screen(request, here));
    }
    expect(current().lists).toEqual([stored.version]);
  });

  it("switches in one step: a caller with the old index gets results of the old lists", async () => {
    store.put("l", "1", [person("a", "Tamerlan Zhdanovski")]);
    await watch.refresh();
    switched.take();
    const old = current();
    store.put("l", "2", [person("b", "Ondrecka Vashtibor")]);
    await watch.refresh();
    expect(await found("Tamerlan Zhdanovski", old)).toEqual([["a", "1"]]);
    expect(await found("Tamerlan Zhdanovski")).toEqual([]);
    expect(await found("Ondrecka Vashtibor")).toEqual([["b", "2"]]);
    expect(switched.take()).toBe(true);
    expect(current().stamp).not.toBe(old.stamp);
  });

  it("responds all the time while another version is indexed", async () => {
    store.put("l", "1", people(2_000));
    await watch.refresh();
    store.put("l", "2", people(2_001));
    let isSwitched = false;
    const switching = watch.refresh().then(() => {
      isSwitched = true;
    });
    let resultsBefore = 0;
    while (!isSwitched) {
      await current().screen(requestOf("Tamerlan Zhdanovski"));
      if (!isSwitched) resultsBefore += 1;
    }
    await switching;
    expect(resultsBefore).toBeGreaterThan(5);
  });

  it("keeps this thread free, with 200 requests in flight and while it switches", async () => {
    store.put("l", "1", people(3_000));
    const questions = () =>
      Promise.all(Array.from({ length: 200 }, (_, at) => found(`zoltvaqui ${at} mbraond`)));
    const first = await longestTurn(watch.refresh().then(questions));
    store.put("l", "2", people(3_001));
    const second = await longestTurn(Promise.all([watch.refresh(), questions()]));
    // Indexing all this, or comparing it all, takes hundreds of milliseconds.
    expect(Math.max(first, second)).toBeLessThan(50);
  });

  it("builds nothing for the same entries under another version's name", async () => {
    store.put("l", "1", [person("a", "Tamerlan Zhdanovski")]);
    await watch.refresh();
    const { stamp } = current();
    switched.take();
    const { read } = store;
    store.put("l", "2", [person("a", "Tamerlan Zhdanovski")]);
    await watch.refresh();
    expect(current().stamp).toBe(stamp);
    expect([switched.take(), store.read]).toEqual([false, read]);
    expect(await found("Tamerlan Zhdanovski")).toEqual([["a", "2"]]);
  });

  it("ends the old thread after its callers have had time to send requests", async () => {
    store.put("l", "1", people(10));
    await watch.refresh();
    const old = current();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    store.put("l", "2", people(11));
    await watch.refresh();
    expect(await found("Unlisted Person", old)).toEqual([]);
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    await vi.waitFor(
      () => expect(old.screen(requestOf("Unlisted"))).rejects.toEqual(unavailable),
      10_000,
    );
    expect(await found("Unlisted Person")).toEqual([]);
  });
});

describe("a thread of an index", () => {
  const threadOf = async (): Promise<Worker> => {
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    await current().screen(requestOf("Unlisted"));
    const worker = posted.mock.contexts[0];
    if (!(worker instanceof Worker)) throw new Error("no thread got a request");
    return worker;
  };

  it("that dies clears no party, and is replaced", async () => {
    store.put("l", "1", [person("a", "Tamerlan Zhdanovski")]);
    await watch.refresh();
    const worker = await threadOf();
    const waiting = [1, 2, 3].map(() => current().screen(requestOf("Tamerlan Zhdanovski")));
    void worker.terminate();
    for (const settled of await Promise.allSettled(waiting)) {
      // The thread may answer before it dies.
      if (settled.status === "fulfilled") expect(settled.value.verdict).toBe("block");
      else expect(settled.reason).toEqual(unavailable);
    }
    await vi.waitFor(async () => expect(await found("Tamerlan Zhdanovski")).toHaveLength(1), {
      timeout: 10_000,
    });
  });

  it("that hangs is ended, and is replaced", async () => {
    store.put("l", "1", [person("a", "Tamerlan Zhdanovski")]);
    vi.useFakeTimers({ toFake: ["setInterval"] });
    await watch.refresh();
    // The thread sends nothing until the clock has advanced.
    const waiting = current().screen(requestOf("Tamerlan Zhdanovski"));
    vi.advanceTimersByTime(11_000);
    await expect(waiting).rejects.toEqual(unavailable);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await found("Tamerlan Zhdanovski")).toHaveLength(1), {
      timeout: 10_000,
    });
  });

  it("that hangs while it indexes is ended, and the next refresh builds another one", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    let started = 0;
    const startThread: typeof startIndexThread = (packed, ended) => {
      started += 1;
      const starting = startIndexThread(packed, ended);
      // The thread sends nothing until the clock has advanced.
      if (started === 1) vi.advanceTimersByTime(61_000);
      return starting;
    };
    const patient = watchLists({ store, startThread, log: silentLog });
    store.put("l", "1", [person("a", "Tamerlan Zhdanovski")]);
    await expect(patient.refresh()).rejects.toThrow("did not respond for 60 seconds");
    expect([patient.current(), started]).toEqual([undefined, 1]);
    await patient.refresh();
    expect(await found("Tamerlan Zhdanovski", patient.current())).toEqual([["a", "1"]]);
    await patient.stop();
  });

  it("lets no merchant wait for the names of another one", async () => {
    store.put("l", "1", people(300));
    await watch.refresh();
    let responded = 0;
    const names = Array.from({ length: 21 }, (_, at) => personParty(`zoltvaqui ${at} mbraond`));
    const much = Array.from({ length: 20 }, () =>
      current()
        .screen({ parties: names, wallets: [] }, { merchantId: "mer_much" })
        .then(() => {
          responded += 1;
        }),
    );
    await ofMerchant("mer_other", "Tamerlan Zhdanovski");
    expect(responded).toBe(0);
    await Promise.all(much);
  });

  it("compares no name for which no caller waits any longer", async () => {
    store.put("l", "1", people(300));
    await watch.refresh();
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    const names = Array.from({ length: 50 }, (_, at) => personParty(`zoltvaqui ${at} mbraond`));
    const caller = new AbortController();
    const waiter = { merchantId: "mer_gone", signal: caller.signal };
    const left = current().screen({ parties: names, wallets: [] }, waiter);
    caller.abort();
    await expect(left).rejects.toEqual(unavailable);
    await expect(current().screen(requestOf("Late"), waiter)).rejects.toEqual(unavailable);
    await ofMerchant("mer_gone", "Unlisted");
    expect(posted.mock.calls.length).toBeLessThan(20);
    posted.mockRestore();
  });

  it("rejects on a bug in the matcher, and continues", async () => {
    store.put("l", "1", people(10));
    await watch.refresh();
    const broken = { parties: [{ ...personParty(""), name: undefined as never }], wallets: [] };
    await expect(current().screen(broken)).rejects.toThrow(TypeError);
    expect(await found("Unlisted")).toEqual([]);
  });
});
