import { parentPort, workerData } from "node:worker_threads";
import { type ImportWork, readImport } from "./work.ts";

/**
 * The thread of one import: reads it, answers once, handing the bytes over, and ends. Not before
 * its modules are loaded: while one awaits, a full heap would end the process.
 */
setImmediate(() => {
  const answer = readImport(workerData as ImportWork);
  const buffers = "fresh" in answer ? answer.fresh.map(({ bytes }) => bytes.buffer) : [];
  parentPort?.postMessage(
    answer,
    buffers.filter((each) => each instanceof ArrayBuffer),
  );
});
