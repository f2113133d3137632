import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { refused } from "@disburse/kernel/refusal.ts";
import type { FileVerdict } from "../matching/judge.ts";
import type { SentPayment } from "../matching/sent-payment.ts";
import { type OpenBankFile, type OpenedFile, openHere, ReadingFailed } from "./opened-file.ts";
import type { WorkerInput, WorkerReply, WorkerRequest } from "./worker.ts";

/** Bounds of one file's reader. */
export type ReaderLimits = {
  /** Memory for what is read and judged, in MiB; the file's bytes come on top. */
  readonly heapMb: number;
  /** The longest that the reader takes for one answer. */
  readonly timeoutMs: number;
};

/** A file of 400 payments: it is read in less time than a thread takes to start. */
const smallBytes = 256 * 1_024;

/** Reads small files in this thread, and each large one in a thread of its own. */
export function openWithin(limits: ReaderLimits): OpenBankFile {
  const openLarge = openInWorker(limits);
  return (bytes, profile) =>
    bytes.length <= smallBytes ? openHere(bytes, profile) : openLarge(bytes, profile);
}

/**
 * Opens files in threads of their own, so that the caller's thread never stands still. Throws
 * `ReadingFailed` where one takes more memory or time than allowed.
 */
export function openInWorker(limits: ReaderLimits): OpenBankFile {
  return async (bytes, profile) => {
    const copy = await copied(bytes);
    const input: WorkerInput = { bytes: copy, profile };
    const reader = startReader(input, [copy.buffer], limits);
    try {
      const first = await reader.reply();
      if ("summary" in first) {
        const { summary } = first;
        const opened: OpenedFile = { summary, judge: reader.judge, close: reader.close };
        return opened;
      }
      await reader.close();
      if ("unreadable" in first) return refused("UNREADABLE", first.unreadable);
      throw new ReadingFailed("a reader answered out of turn");
    } catch (error) {
      await reader.close();
      throw error;
    }
  };
}

/** Takes a few milliseconds to copy. */
const copiedAtOnce = 4 * 2 ** 20;

async function copied(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += copiedAtOnce) {
    copy.set(bytes.subarray(at, at + copiedAtOnce), at);
    await setImmediate();
  }
  return copy;
}

function startReader(
  input: WorkerInput,
  transferList: ArrayBuffer[],
  { heapMb, timeoutMs }: ReaderLimits,
) {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: input,
    transferList,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const ended = Promise.withResolvers<never>();
  // A reader may end while no reply is awaited.
  ended.promise.catch(() => undefined);
  worker.once("error", (error) => ended.reject(failureOf(error)));
  worker.once("exit", () => ended.reject(new ReadingFailed("the reader ended")));
  /** The next reply of the reader. */
  const reply = async (): Promise<WorkerReply> => {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerReply>();
    const timer = setTimeout(() => reject(new ReadingFailed("the reader timed out")), timeoutMs);
    worker.once("message", resolve);
    try {
      return await Promise.race([promise, ended.promise]);
    } finally {
      clearTimeout(timer);
      worker.off("message", resolve);
    }
  };
  const request = (message: WorkerRequest) => worker.postMessage(message);
  async function* judge(
    payments: Iterable<readonly SentPayment[]>,
  ): AsyncGenerator<readonly FileVerdict[]> {
    for (const piece of payments) {
      request({ payments: piece });
      await setImmediate();
    }
    while (true) {
      const replied = reply();
      request({ wanted: "verdicts" });
      const message = await replied;
      if (!("verdicts" in message)) return;
      yield message.verdicts;
    }
  }
  const close = async (): Promise<void> => {
    await worker.terminate();
  };
  return { reply, judge, close };
}

function failureOf(error: unknown): ReadingFailed {
  const isMemory =
    error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  const problem = isMemory ? "the reader ran out of memory" : "the reader failed";
  return new ReadingFailed(problem, { cause: error });
}
