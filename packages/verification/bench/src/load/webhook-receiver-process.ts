/** The merchants' receiver: answers at once, and notes when each event came. Forked. */
import { json } from "node:stream/consumers";
import { serveLocally } from "@disburse/harness/local-server.ts";
import { monotonicMs } from "../webhooks/monotonic-clock.ts";
import { serveCalls } from "./child.ts";

/** A webhook that has come: for which transaction, and when, by the monotonic clock. */
export type WebhookReceipt = { readonly transactionId: string; readonly atMs: number };

let arrived: WebhookReceipt[] = [];
let arrival = Promise.withResolvers<void>();

async function listen() {
  const { url } = await serveLocally(async (request, response) => {
    const atMs = monotonicMs();
    const { transaction_id } = (await json(request)) as { transaction_id: string };
    response.writeHead(200).end();
    arrived.push({ transactionId: transaction_id, atMs });
    arrival.resolve();
  });
  return { url: `${url}/webhooks`, pid: process.pid };
}

/** Waits until something has come; answers all that has since the call before. */
async function take(): Promise<readonly WebhookReceipt[]> {
  await arrival.promise;
  const taken = arrived;
  arrived = [];
  arrival = Promise.withResolvers<void>();
  return taken;
}

const calls = { listen, take };
/** What the receiver does for the load generator. */
export type WebhookReceiverCalls = typeof calls;
serveCalls(calls);
