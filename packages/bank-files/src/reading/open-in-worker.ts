import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { FileVerdict } from "../matching/judge.ts";
import type { SentPayment } from "../matching/sent-payment.ts";
import { type OpenBankFile, type OpenedFile, openHere, ReadingFailed } from "./opened-file.ts";
import type { WorkerInput, WorkerReply, WorkerRequest } from "./worker.ts";

export type ReaderLimits = {
  /** The reader's maximum heap in MiB. The file's bytes do not count. */
  readonly heapMb: number;
  /** The maximum time for one reply of the reader. */
  readonly timeoutMs: number;
};

/**
 * The maximum number of payments that a file may concern to be processed in the caller's thread. In
 * the worst case each part of the file concerns each payment, which takes about 50 ms.
 */
const fewPayments = 100;
/** The size of a file with about `fewPayments` payments. */
const smallBytes = 64 * 1_024;

/**
 * Reads small files in the caller's thread, and each large file in its own thread. A small file may
 * reject a whole payment file and so concern many payments. Such a file is judged in its own
 * thread.
 */
export function openWithin(limits: ReaderLimits): OpenBankFile {
  const openLarge = openInWorker(limits);
  return async (bytes, profile) => {
    if (bytes.length > smallBytes) return openLarge(bytes, profile);
    const here = await openHere(bytes, profile);
    if (isRefused(here)) return here;
    const opened: OpenedFile = {
      summary: here.summary,
      judge: async function* (payments) {
        const { first, all } = begun(payments);
        if (sizeOf(first) <= fewPayments) {
          yield* here.judge(first);
          return;
        }
        const there = await openLarge(bytes, profile);
        if (isRefused(there)) throw new ReadingFailed("two readers disagree on a file");
        try {
          yield* there.judge(all);
        } finally {
          await there.close();
        }
      },
      close: here.close,
    };
    return opened;
  };
}

type Pieces = Iterable<readonly SentPayment[]>;

/**
 * Reads the file's first pieces until they have more than `fewPayments` payments. Returns these
 * pieces, and an iterator over all pieces, these included.
 */
function begun(payments: Pieces) {
  const rest = payments[Symbol.iterator]();
  const first: (readonly SentPayment[])[] = [];
  while (sizeOf(first) <= fewPayments) {
    const { done, value } = rest.next();
    if (done === true) break;
    first.push(value);
  }
  const all = function* (): Generator<readonly SentPayment[]> {
    yield* first;
    for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
  };
  return { first, all: all() };
}

function sizeOf(pieces: readonly (readonly SentPayment[])[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Opens each file in its own thread. Throws `ReadingFailed` if a reader exceeds its limit of memory
 * or time.
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
      throw new ReadingFailed("unexpected reply from a reader");
    } catch (error) {
      await reader.close();
      throw error;
    }
  };
}

/** The bytes to copy at once, which takes a few milliseconds. */
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
  // Prevents an unhandled rejection if the reader ends while no reply is awaited.
  ended.promise.catch(() => undefined);
  worker.once("error", (error) => ended.reject(failureOf(error)));
  worker.once("exit", () => ended.reject(new ReadingFailed("the reader ended")));
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
  async function* judge(payments: Pieces): AsyncGenerator<readonly FileVerdict[]> {
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
