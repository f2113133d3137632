import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { type ScreeningUnit, screenUnit } from "../screening/rules/screening.ts";
import { indexLists, type PackedList } from "./build.ts";
import type { IndexResponse } from "./thread.ts";

/**
 * The worker thread of one index. It builds the index, then compares units one by one. The lists
 * arrive as a message, because a message is freed after use. `workerData` would keep them in
 * memory.
 */
const port = parentPort;
if (port === null) throw new Error("the screening index must run in a worker thread");
const send = (response: IndexResponse): void => port.postMessage(response);

const inForce = await once(port, "message").then(([packed]: (readonly PackedList[])[]) => {
  if (packed === undefined) throw new Error("no lists to index");
  return indexLists(packed);
});
port.on("message", (unit: ScreeningUnit) => {
  const started = performance.now();
  const spentMs = () => performance.now() - started;
  try {
    const hits = screenUnit(unit, inForce);
    send({ hits, spentMs: spentMs() });
  } catch (error) {
    send({ error, spentMs: spentMs() });
  }
});
send({ ready: true });
