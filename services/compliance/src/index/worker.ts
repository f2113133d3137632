import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { screen } from "../screening/rules/screening.ts";
import { indexLists, type PackedList } from "./build.ts";
import type { IndexRequest, IndexResponse } from "./thread.ts";

/**
 * The thread of one index: builds it, then answers one request after the other. The lists
 * come as a message, of which nothing is kept; a thread's data lasts with it.
 */
const port = parentPort;
if (port === null) throw new Error("runs in a thread only");
const say = (answer: IndexResponse): void => port.postMessage(answer);

const inForce = await once(port, "message").then(([packed]: (readonly PackedList[])[]) => {
  if (packed === undefined) throw new Error("no lists to index");
  return indexLists(packed);
});
port.on("message", ({ id, request }: IndexRequest) => {
  try {
    say({ id, finding: screen(request, inForce) });
  } catch (error) {
    say({ id, error });
  }
});
say({ ready: true });
