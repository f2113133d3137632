import { parentPort, workerData } from "node:worker_threads";
import { screen } from "./domain/screening.ts";
import { indexLists, type PackedList } from "./index-build.ts";
import type { IndexAnswer, IndexQuestion } from "./index-thread.ts";

/** The thread of one index: builds it, says so, and answers one question after the other. */
const inForce = indexLists(workerData as readonly PackedList[]);
const say = (answer: IndexAnswer): void => parentPort?.postMessage(answer);

parentPort?.on("message", ({ id, request }: IndexQuestion) => {
  try {
    say({ id, finding: screen(request, inForce) });
  } catch (error) {
    say({ id, error });
  }
});
say({ ready: true });
