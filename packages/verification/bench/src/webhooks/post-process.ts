/**
 * The floor of a saturated notifier: one process that makes the same bodies, signs them by both
 * signatures and posts them to the same receivers, so many at a time. Nothing is stored. Forked.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { Agent } from "undici";
import { serveCalls } from "../load/child.ts";
import { closedLoop } from "../load/loops.ts";
import type { Endpoint } from "./endpoints.ts";
import { eventIdOf, paymentSession } from "./events.ts";

type Job = {
  readonly run: string;
  readonly targets: readonly { readonly endpoint: Endpoint; readonly url: string }[];
  /** Posts under way at a time. */
  readonly concurrency: number;
  readonly seconds: number;
};

const secret = randomBytes(32).toString("base64");
const standardKey = randomBytes(32);

/** The headers that a receiver checks (docs/webhooks.md). */
function signedHeaders(eventId: string, sessionId: string, status: string, body: string) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const own = createHash("sha256").update(`${sessionId},${status}:${secret}`).digest("base64");
  const mac = createHmac("sha256", standardKey).update(`${eventId}.${timestamp}.${body}`);
  return {
    "content-type": "application/json",
    "X-SERVICE-Signature": own,
    "webhook-id": eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${mac.digest("base64")}`,
    "webhook-sequence": "1",
  };
}

/** Posts that were answered with 200 in a second, and the process's own CPU time for each. */
async function post({ run, targets, concurrency, seconds }: Job) {
  const agent = new Agent({ pipelining: 1 });
  let next = 0;
  const usedBefore = process.cpuUsage();
  const { latenciesMs, elapsedMs } = await closedLoop(
    { concurrency, end: { seconds } },
    async () => {
      const number = next++;
      const target = targets[number % targets.length];
      if (target === undefined) throw new Error("there is no endpoint");
      const { endpoint, url } = target;
      const eventId = eventIdOf({ run, number, endpoint: endpoint.at });
      const sessionId = `ps_${run}_${number}`;
      const data = paymentSession(sessionId, endpoint, new Date());
      const type = "payment_session";
      const body = `{"transaction_type":"${type}","transaction_id":"${sessionId}","data":${data}}`;
      const { origin, pathname } = new URL(url);
      const headers = signedHeaders(eventId, sessionId, endpoint.status, body);
      const answer = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`answered with ${answer.statusCode}`);
      return true;
    },
  );
  const used = process.cpuUsage(usedBefore);
  await agent.close();
  const posts = latenciesMs.length;
  const cpuUs = Math.round((used.user + used.system) / posts);
  return { perSecond: (posts * 1_000) / elapsedMs, cpuUs };
}

const calls = { post };
/** What the bare loop, which does only what cannot be left out, does for the bench. */
export type PostCalls = typeof calls;
serveCalls(calls);
