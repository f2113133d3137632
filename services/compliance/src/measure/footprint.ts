import { setTimeout as delay } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { indexLists, type PackedList } from "../index/build.ts";
import { packEntries } from "../lists/chunks.ts";
import type { ListsInForce } from "../screening/rules/screening.ts";

/*
 * Prints the heap and buffers of an index thread after a full collection, entries included, and the
 * values before it had read anything.
 */
type Footprint = { readonly megabytes: number; readonly threadMegabytes: number };

const collect = globalThis.gc;
if (collect === undefined) throw new Error("run this measurement with node --expose-gc");

/**
 * Returns the memory that this thread uses. It waits first, because some buffers are freed a while
 * after they became garbage.
 */
async function held(): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  while (true) {
    collect?.();
    await delay(100);
    const { heapUsed, external } = process.memoryUsage();
    const now = (heapUsed + external) / 1e6;
    if (now >= before) return now;
    before = now;
  }
}

async function measured(packed: readonly PackedList[]): Promise<Footprint> {
  const thread = new Worker(new URL(import.meta.url));
  const answer = Promise.withResolvers<Footprint>();
  thread.once("message", answer.resolve);
  thread.once("error", answer.reject);
  const buffers = packed.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes.buffer));
  thread.postMessage(
    packed,
    buffers.filter((each) => each instanceof ArrayBuffer),
  );
  return answer.promise;
}

if (isMainThread) {
  // Imported late, so that the code that reads files is not measured. A thread of the service does
  // not have that code.
  const { entriesOf, measuredVersion } = await import("./measured-store.ts");
  const [path = ""] = process.argv.slice(2);
  const chunks = packEntries("measured", entriesOf(path));
  const packed = [{ version: measuredVersion, chunks }];
  process.stdout.write(JSON.stringify(await measured(packed)));
} else {
  const threadMegabytes = await held();
  const report = async (index: ListsInForce): Promise<void> => {
    const megabytes = (await held()) - threadMegabytes;
    // Uses the index after the measurement, so that it is not garbage-collected before.
    if (index.lists.length === 0) throw new Error("nothing was indexed");
    parentPort?.postMessage({ megabytes, threadMegabytes } satisfies Footprint);
  };
  parentPort?.once("message", (packed: readonly PackedList[]) => {
    report(indexLists(packed)).catch((error: unknown) => {
      // Throws outside of the handler, which ends the thread, so that its starter reports the
      // error.
      queueMicrotask(() => {
        throw error;
      });
    });
  });
}
