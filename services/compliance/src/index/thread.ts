import { Worker } from "node:worker_threads";
import { refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { refusals } from "../refusals.ts";
import type { Finding } from "../screening/rules/hit.ts";
import type { ScreeningQuery } from "../screening/rules/screening.ts";
import type { PackedList } from "./build.ts";

/** What the thread of an index is sent. */
export type IndexRequest = { readonly id: number; readonly request: ScreeningQuery };
/** What it answers: ready, then one finding or error for each request. */
export type IndexResponse =
  | { readonly ready: true }
  | { readonly id: number; readonly finding: Finding }
  | { readonly id: number; readonly error: unknown };

/** An index in a thread of its own. */
export type IndexThread = {
  /** See `ScreeningIndex`. */
  screen(request: ScreeningQuery): Promise<Finding>;
  isAlive(): boolean;
  /** Ends the thread once it has answered all requests. */
  retire(): void;
  /** Ends it now; pending requests are rejected as unavailable. */
  stop(): Promise<void>;
};

/** Seconds of work at a few milliseconds each; a caller beyond would time out. */
const waitingMax = 1_000;
/** Callers that took the index before a switch send their request within this time. */
const retiredKeptMs = 5_000;
/** A request takes milliseconds; a thread without an answer for so long hangs. */
const answerSecondsMax = 10;
/** All public lists take a second or two to index; a thread that takes so long hangs. */
const startSecondsMax = 60;
const tickMs = 1_000;

type Waiting = {
  readonly resolve: (finding: Finding) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Builds an index in a new thread, which takes the bytes of the chunks over. Rejects when it
 * cannot be built. `ended` is called when the thread ends by itself.
 */
export function startIndexThread(
  packed: readonly PackedList[],
  ended: (error: unknown) => void,
): Promise<IndexThread> {
  const buffers = packed.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes.buffer));
  const worker = new Worker(new URL("./worker.ts", import.meta.url));
  worker.postMessage(
    packed,
    buffers.filter((each) => each instanceof ArrayBuffer),
  );
  return new Promise((resolve, reject) => {
    const thread = indexThread(worker, (error, isReady) => {
      reject(error);
      if (isReady) ended(error);
    });
    worker.on("message", (answer: IndexResponse) => {
      if ("id" in answer) thread.take(answer);
      else {
        thread.ready();
        resolve(thread);
      }
    });
  });
}

/** The thread; `ended` is called with the reason when it ends by itself, ready or not. */
function indexThread(worker: Worker, ended: (error: unknown, isReady: boolean) => void) {
  const waiting = new Map<number, Waiting>();
  let cause: unknown;
  let alive = true;
  let isReady = false;
  let leaving = false;
  let isRetired = false;
  let lastId = 0;
  let silentSeconds = 0;

  // Counted in ticks, not by the clock: time during which the process was stopped does not count.
  const watchdog = setInterval(() => {
    silentSeconds = isReady && waiting.size === 0 ? 0 : silentSeconds + 1;
    const most = isReady ? answerSecondsMax : startSecondsMax;
    if (silentSeconds <= most) return;
    cause ??= new Error(`the thread of an index did not answer for ${most} seconds`);
    void worker.terminate();
  }, tickMs).unref();

  const stop = async (): Promise<void> => {
    leaving = true;
    await worker.terminate();
  };
  const stopIfIdle = (): void => {
    if (isRetired && waiting.size === 0) void stop();
  };
  worker.once("error", (error) => {
    cause = error;
  });
  worker.once("exit", (code) => {
    alive = false;
    clearInterval(watchdog);
    for (const { reject } of waiting.values()) reject(unavailable());
    waiting.clear();
    if (leaving) return;
    ended(cause ?? new Error(`the thread of an index ended with ${code}`), isReady);
  });
  return {
    isAlive: () => alive,
    ready: (): void => {
      isReady = true;
      silentSeconds = 0;
    },
    stop,
    retire: () => {
      setTimeout(() => {
        isRetired = true;
        stopIfIdle();
      }, retiredKeptMs).unref();
    },
    screen: (request: ScreeningQuery): Promise<Finding> => {
      if (!alive || waiting.size >= waitingMax) return Promise.reject(unavailable());
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, request } satisfies IndexRequest);
      });
    },
    take: (answer: Exclude<IndexResponse, { readonly ready: true }>): void => {
      const caller = waiting.get(answer.id);
      waiting.delete(answer.id);
      silentSeconds = 0;
      if ("finding" in answer) caller?.resolve(answer.finding);
      else caller?.reject(answer.error);
      stopIfIdle();
    },
  };
}

/** Nothing was compared, so nothing is cleared. */
function unavailable(): Error {
  return refusalError(refusals, refused("INDEX_UNAVAILABLE"));
}
