import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Unreadable } from "../iso20022/reports/xml.ts";
import type { BankFile } from "../read.ts";
import { addPiece } from "./pieces.ts";
import type { Answer } from "./worker.ts";

/** Bounds of one reading. */
export type ReadLimits = {
  /** Memory for what is read, in MiB; the file's bytes come on top. */
  readonly heapMb: number;
  readonly timeoutMs: number;
};

/** A file was not read to its end; nothing follows about its content. */
export class ReadingFailed extends Error {
  readonly reason: "memory" | "time" | "failure";

  constructor(reason: ReadingFailed["reason"], cause?: unknown) {
    super(`a bank file was not read: ${reason}`, { cause });
    this.name = "ReadingFailed";
    this.reason = reason;
  }
}

/**
 * Reads a file in a thread of its own, as `readBankFile` does, so that the caller's thread never
 * stands still. Throws `ReadingFailed` where it takes more memory or time than allowed. The thread
 * ends in every case.
 */
export async function readInWorker(
  bytes: Uint8Array,
  { heapMb, timeoutMs }: ReadLimits,
): Promise<BankFile | Unreadable> {
  const copy = await copied(bytes);
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: copy,
    transferList: [copy.buffer],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new ReadingFailed("time")), timeoutMs);
      worker.once("error", (error) => reject(failureOf(error)));
      worker.once("exit", (code) => reject(new ReadingFailed("failure", `ended with ${code}`)));
      receive(worker, resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
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

/** Asks for piece after piece, with other work of this thread in between. */
function receive(
  worker: Worker,
  resolve: (file: BankFile | Unreadable) => void,
  reject: (error: unknown) => void,
): void {
  let file: unknown;
  worker.on("message", (answer: Answer) => {
    if ("isComplete" in answer) {
      resolve(file as BankFile | Unreadable);
      return;
    }
    if ("file" in answer) file = answer.file;
    else addPiece(file, answer.piece);
    setImmediate().then(() => worker.postMessage("next"), reject);
  });
  worker.postMessage("next");
}

function failureOf(error: unknown): ReadingFailed {
  const isMemory =
    error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return new ReadingFailed(isMemory ? "memory" : "failure", error);
}
