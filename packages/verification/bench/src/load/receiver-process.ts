/** The merchants' webhook receivers: servers that note when each webhook came. Forked. */

import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { serveLocally } from "@disburse/harness/local-server.ts";
import { serveCalls } from "./child.ts";
import { monotonicMs } from "./monotonic-clock.ts";

/** A webhook that came: its transaction, the receiver's number, and the time of its head. */
export type Receipt = {
  readonly transactionId: string;
  readonly receiver: number;
  readonly atMs: number;
};

let arrived: Receipt[] = [];
let arrival = Promise.withResolvers<void>();

async function openReceiver(receiver: number, answerAfterMs: number): Promise<string> {
  const { url } = await serveLocally(async (request, response) => {
    const atMs = monotonicMs();
    const { transaction_id } = (await json(request)) as { transaction_id: string };
    arrived.push({ transactionId: transaction_id, receiver, atMs });
    arrival.resolve();
    if (answerAfterMs > 0) await pause(answerAfterMs);
    response.writeHead(200).end();
  });
  return `${url}/webhooks`;
}

/** Opens receivers, each on a port of its own; returns their URLs. */
function listen(job: { readonly receivers: number; readonly answerAfterMs: number }) {
  const numbers = Array.from({ length: job.receivers }, (_, number) => number);
  return Promise.all(numbers.map((number) => openReceiver(number, job.answerAfterMs)));
}

/** Waits for a webhook; returns all that came since the previous call. */
async function take(): Promise<readonly Receipt[]> {
  await arrival.promise;
  const taken = arrived;
  arrived = [];
  arrival = Promise.withResolvers<void>();
  return taken;
}

const calls = { listen, take };
/** Calls of the receivers' process. */
export type ReceiverCalls = typeof calls;
serveCalls(calls);
