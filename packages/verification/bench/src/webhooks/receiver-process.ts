/**
 * The merchants' receivers: each a server on a port of its own that answers after 30 ms, and one
 * that never answers. Forked; remembers when each event came first.
 */
import type { RequestListener } from "node:http";
import { serveLocally } from "@disburse/harness/local-server.ts";
import { serveCalls } from "../load/child.ts";
import { readEventId } from "./events.ts";
import { monotonicMs } from "./monotonic-clock.ts";

/** What has come of a run. */
export type Receipts = {
  /** By the event's number: when its first byte came first, by the monotonic clock. */
  readonly firstAtMs: ReadonlyMap<number, number>;
  /** Requests beyond each event's first. */
  readonly duplicates: number;
  /** Requests at another endpoint than the event's. */
  readonly misrouted: number;
};

/** What a receiver takes to store an event. */
const answerAfterMs = 30;

type Run = { firstAtMs: Map<number, number>; duplicates: number; misrouted: number };
const runs = new Map<string, Run>();
const runOf = (name: string): Run =>
  runs.getOrInsert(name, { firstAtMs: new Map(), duplicates: 0, misrouted: 0 });

function record(id: string, endpoint: number, atMs: number): void {
  const event = readEventId(id);
  if (event === undefined) return;
  const run = runOf(event.run);
  if (event.endpoint !== endpoint) run.misrouted += 1;
  if (run.firstAtMs.has(event.number)) run.duplicates += 1;
  else run.firstAtMs.set(event.number, atMs);
}

/** Node calls this when the head is there, which the sender writes at once with the body. */
const receiverAt =
  (endpoint: number): RequestListener =>
  (request, response) => {
    record(String(request.headers["webhook-id"]), endpoint, monotonicMs());
    request.resume();
    setTimeout(() => response.writeHead(200).end(), answerAfterMs);
  };

const neverAnswers: RequestListener = (request) => void request.resume();

async function serve(listener: RequestListener): Promise<string> {
  return `${(await serveLocally(listener)).url}/webhooks`;
}

const calls = {
  /** Opens so many receivers, and one that never answers; answers their URLs. */
  listen: async (receivers: number) => ({
    urls: await Promise.all(Array.from({ length: receivers }, (_, at) => serve(receiverAt(at)))),
    deadUrl: await serve(neverAnswers),
  }),
  /** How many different events of a run have arrived so far. */
  count: (run: string) => runOf(run).firstAtMs.size,
  /** What has come of a run so far. */
  receipts: (run: string): Receipts => runOf(run),
};
/** What the process that stands for the merchants' receivers does for the bench. */
export type ReceiverCalls = typeof calls;
serveCalls(calls);
