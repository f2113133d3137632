import { parentPort, workerData } from "node:worker_threads";
import { type ImportWork, readImport } from "./work.ts";

/**
 * The worker thread of one import. It returns one result, whose bytes are transferred, and ends.
 * The work starts only after all modules are loaded, because a full heap during a module load would
 * end the whole process.
 */
setImmediate(() => {
  const result = readImport(workerData as ImportWork);
  const buffers = "fresh" in result ? result.fresh.map(({ bytes }) => bytes.buffer) : [];
  parentPort?.postMessage(
    result,
    buffers.filter((each) => each instanceof ArrayBuffer),
  );
});
