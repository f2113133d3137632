import { Worker } from "node:worker_threads";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import type { Finding } from "../screening/rules/hit.ts";
import type { ScreeningQuery } from "../screening/rules/screening.ts";
import type { Waiter } from "../screening/screening-index.ts";
import type { PackedList } from "./build.ts";
import { openWaitingLine, type UnitResult, unavailable } from "./waiting-line.ts";

/** The thread's messages: ready, then one result for each unit, in their order. */
export type IndexResponse = { readonly ready: true } | UnitResult;

export type IndexThread = {
  /** Works like `screen` of `ScreeningIndex`. */
  screen(request: ScreeningQuery, waiter?: Waiter): Promise<Finding>;
  isAlive(): boolean;
  /** Ends the thread once it has answered all requests. */
  retire(): void;
  /** Ends the thread at once, and rejects pending requests as unavailable. */
  stop(): Promise<void>;
};

/** Callers that got the index before a switch send their request within this time. */
const retiredKeptMs = 5_000;
/** A request takes milliseconds; a thread without a response for this long hangs. */
const responseSecondsMax = 10;
/** All public lists take a second or two to index; a thread that takes this long hangs. */
const startSecondsMax = 60;
const tickMs = 1_000;

/**
 * Builds an index in a new thread, to which the bytes of the chunks are transferred. Rejects if the
 * build fails. `ended` is called if the thread ends by itself.
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
    worker.on("message", (response: IndexResponse) => {
      if ("spentMs" in response) thread.take(response);
      else {
        thread.ready();
        resolve(thread);
      }
    });
  });
}

/** Wraps a thread. `ended` is called with the reason if it ends by itself, ready or not. */
function indexThread(worker: Worker, ended: (error: unknown, isReady: boolean) => void) {
  const line = openWaitingLine((unit) => worker.postMessage(unit));
  let cause: unknown;
  let alive = true;
  let isReady = false;
  let leaving = false;
  let isRetired = false;
  let silentSeconds = 0;

  // Counted in ticks, not by the clock: time during which the process was stopped does not count.
  const watchdog = setInterval(() => {
    silentSeconds = isReady && line.isIdle() ? 0 : silentSeconds + 1;
    const most = isReady ? responseSecondsMax : startSecondsMax;
    if (silentSeconds <= most) return;
    cause ??= new Error(`the thread of an index did not answer for ${most} seconds`);
    worker.terminate().catch(reportRejection);
  }, tickMs).unref();

  const stop = async (): Promise<void> => {
    leaving = true;
    await worker.terminate();
  };
  const stopIfIdle = (): void => {
    if (isRetired && line.isIdle()) stop().catch(reportRejection);
  };
  worker.once("error", (error) => {
    cause = error;
  });
  worker.once("exit", (code) => {
    alive = false;
    clearInterval(watchdog);
    line.refuseAll();
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
    screen: (request: ScreeningQuery, waiter: Waiter = monitoring): Promise<Finding> =>
      alive ? line.screen(request, waiter) : Promise.reject(unavailable()),
    take: (result: UnitResult): void => {
      silentSeconds = 0;
      line.take(result);
      stopIfIdle();
    },
  };
}

const monitoring: Waiter = { merchantId: "" };
