import { text } from "node:stream/consumers";
import { postUntilAnswered } from "@disburse/faults/payouts/client.ts";
import type { FaultPlatform } from "@disburse/faults/platform.ts";
import { serveLocally } from "@disburse/harness/local-server.ts";

/**
 * A merchant's test endpoint with the delivery order `strict`. It checks the promises of
 * docs/webhooks.md.
 */
export type WebhookEndpoint = Awaited<ReturnType<typeof openWebhookEndpoint>>;

export async function openWebhookEndpoint(platform: FaultPlatform) {
  const received = new Set<string>();
  const bodies = new Map<string, string>();
  const sequences = new Map<string, number>();
  const problems: string[] = [];
  let calls = 0;
  const { url, close } = await serveLocally(async (request, response) => {
    const body = await text(request);
    const id = String(request.headers["webhook-id"]);
    const { transaction_id, data } = JSON.parse(body);
    calls += 1;
    const known = bodies.get(id);
    if (known !== undefined && known !== body) problems.push(`${id} arrived with two bodies`);
    if (known === undefined) {
      bodies.set(id, body);
      const sequence = Number(request.headers["webhook-sequence"]);
      const before = sequences.get(transaction_id) ?? 0;
      if (sequence !== before + 1) {
        problems.push(`${transaction_id}: ${sequence} arrived after ${before}`);
      }
      sequences.set(transaction_id, sequence);
    }
    received.add(`${transaction_id} ${data.status}`);
    response.writeHead(200).end();
  });
  const endpoint = await postUntilAnswered(platform, "/webhooks/endpoints", {
    url,
    order: "strict",
  });
  if (endpoint?.status !== 200) throw new Error(`no endpoint: ${endpoint?.text}`);
  return {
    /** Each `payout status`, without duplicates. */
    received: received as ReadonlySet<string>,
    problems,
    calls: (): number => calls,
    /** Calls beyond the first of each event. Webhooks arrive at least once. */
    repeated: (): number => calls - bodies.size,
    close,
  };
}
