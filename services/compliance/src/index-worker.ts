import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { compare } from "./domain/screening.ts";
import { indexLists } from "./index-build.ts";
import type { IndexAnswer, IndexQuestion, IndexWork } from "./index-thread.ts";

/**
 * The thread of an index, or of a part of one: builds it, says so, and answers one question after
 * the other. The lists come as a message, of which nothing is kept; a thread's data lasts with it.
 */
const port = parentPort;
if (port === null) throw new Error("runs in a thread only");
const say = (answer: IndexAnswer): void => port.postMessage(answer);

const inForce = await once(port, "message").then(([work]: IndexWork[]) => {
  if (work === undefined) throw new Error("no lists to index");
  return indexLists(work.packed, work.part);
});
port.on("message", ({ id, request, places }: IndexQuestion) => {
  try {
    say({ id, hits: compare(request, places, inForce) });
  } catch (error) {
    say({ id, error });
  }
});
say({ ready: true });
