import { Worker } from "node:worker_threads";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import type { Finding } from "../screening/rules/hit.ts";
import type { ScreeningQuery } from "../screening/rules/screening.ts";
import type { Waiter } from "../screening/screening-index.ts";
import type { PackedList } from "./build.ts";
import { openWaitingLine, type UnitResult, unavailable } from "./waiting-line.ts";

/**
 * The messages from the thread: first `ready`, then one result for each unit, in the order of the
 * units.
 */
export type IndexResponse = { readonly ready: true } | UnitResult;

export type IndexThread = {
  /** Works like `screen` of `ScreeningIndex`. */
  screen(request: ScreeningQuery, waiter?: Waiter): Promise<Finding>;
  isAlive(): boolean;
  /** Ends the thread after it has responded to all requests. */
  retire(): void;
  /** Ends the thread at once, and rejects pending requests as unavailable. */
  stop(): Promise<void>;
};

/**
 * The time that a retired thread keeps accepting requests. Callers that got the index before its
 * replacement still use it.
 */
const retiredKeptMs = 5_000;
/**
 * The maximum time without a response. A request takes milliseconds, so a longer silence means that
 * the thread hangs.
 */
const responseSecondsMax = 10;
/**
 * The maximum time to build an index. All public lists take a second or two, so a thread that needs
 * longer hangs.
 */
const startSecondsMax = 60;
const tickMs = 1_000;

/**
 * Builds an index in a new thread. The bytes of the chunks are transferred, not copied. Rejects if
 * the build fails. `ended` is called if the thread ends unexpectedly.
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

/**
 * Wraps a thread. `ended` is called with the reason if the thread ends unexpectedly, before or
 * after it is ready.
 */
function indexThread(worker: Worker, ended: (error: unknown, isReady: boolean) => void) {
  const line = openWaitingLine((unit) => worker.postMessage(unit));
  let cause: unknown;
  let alive = true;
  let isReady = false;
  let leaving = false;
  let isRetired = false;
  let silentSeconds = 0;

  // Counts seconds by timer ticks, not by the clock. Time during which the whole process was
  // stopped does not count.
  const watchdog = setInterval(() => {
    silentSeconds = isReady && line.isIdle() ? 0 : silentSeconds + 1;
    const most = isReady ? responseSecondsMax : startSecondsMax;
    if (silentSeconds <= most) return;
    cause ??= new Error(`the thread of the screening index did not respond for ${most} seconds`);
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
    ended(
      cause ?? new Error(`the thread of the screening index ended with exit code ${code}`),
      isReady,
    );
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
