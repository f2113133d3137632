import { Worker } from "node:worker_threads";
import type { ImportProblem, ImportWork, ReadWork } from "./work.ts";

const limits = {
  /** Well under the silence after which an import counts as dead; public lists take a second. */
  timeoutMs: 90_000,
  /** Ten times what the largest public list needs; past it the thread ends, not the process. */
  heapMegabytes: 1_536,
};

/** Reads a list in a thread of its own, which is given the files' and chunks' bytes for good. */
export function readImportApart(
  work: ImportWork,
  { timeoutMs, heapMegabytes } = limits,
): Promise<ReadWork | ImportProblem> {
  const handed = [...work.files, ...work.base].map(({ bytes }) => bytes.buffer);
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: work,
    transferList: handed.filter((each) => each instanceof ArrayBuffer),
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve({ problem: `files: could not be read within ${timeoutMs / 1_000} s` });
      void worker.terminate();
    }, timeoutMs);
    worker.once("message", resolve);
    worker.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") reject(error);
      else resolve({ problem: "files: hold more than fits the memory" });
    });
    worker.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that reads a list ended with ${code}`));
    });
  });
}
