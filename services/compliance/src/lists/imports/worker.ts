import { parentPort, workerData } from "node:worker_threads";
import { type ImportWork, readImport } from "./work.ts";

/**
 * The thread of one import: reads it, returns one result with its bytes transferred, and ends. It
 * starts only after its modules are loaded: while a module load is pending, a full heap would end
 * the process.
 */
setImmediate(() => {
  const result = readImport(workerData as ImportWork);
  const buffers = "fresh" in result ? result.fresh.map(({ bytes }) => bytes.buffer) : [];
  parentPort?.postMessage(
    result,
    buffers.filter((each) => each instanceof ArrayBuffer),
  );
});
