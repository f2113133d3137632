/**
 * The merchants' receivers: each a server on a port of its own that answers after 30 ms, and one
 * that never answers. Forked; remembers when each event came first.
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { serveCalls, tellNews } from "./child.ts";
import { readEventId } from "./event-id.ts";
import { monotonicMs } from "./monotonic-clock.ts";
import type { Receipts, ReceiverCalls } from "./receiver-calls.ts";

/** What a receiver takes to store an event. */
const answerAfterMs = 30;
const tellEveryMs = 50;

type Run = { firstAtMs: Map<number, number>; duplicates: number; astray: number };
const runs = new Map<string, Run>();

function runOf(name: string): Run {
  const run = runs.get(name) ?? { firstAtMs: new Map(), duplicates: 0, astray: 0 };
  runs.set(name, run);
  return run;
}

function record(id: string, hook: number, atMs: number): void {
  const event = readEventId(id);
  if (event === undefined) return;
  const run = runOf(event.run);
  if (event.hook !== hook) run.astray += 1;
  if (run.firstAtMs.has(event.number)) run.duplicates += 1;
  else run.firstAtMs.set(event.number, atMs);
}

/** Node calls this when the head is there, which the sender writes at once with the body. */
const receiverAt =
  (hook: number): RequestListener =>
  (request, response) => {
    record(String(request.headers["webhook-id"]), hook, monotonicMs());
    request.resume();
    setTimeout(() => response.writeHead(200).end(), answerAfterMs);
  };

const neverAnswers: RequestListener = (request) => void request.resume();

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
}

serveCalls<ReceiverCalls>({
  listen: async ({ receivers }) => ({
    urls: await Promise.all(Array.from({ length: receivers }, (_, at) => serve(receiverAt(at)))),
    deadUrl: await serve(neverAnswers),
  }),
  receipts: ({ run }): Receipts => runOf(run),
});

setInterval(() => {
  tellNews(Object.fromEntries([...runs].map(([name, { firstAtMs }]) => [name, firstAtMs.size])));
}, tellEveryMs);
