import { text } from "node:stream/consumers";
import { serveLocally } from "@disburse/harness/local-server.ts";
import type { FaultPlatform } from "../platform.ts";
import { postUntilAnswered } from "./client.ts";

/** A merchant's endpoint that records the changes that it receives. */
export type WebhookRecorder = Awaited<ReturnType<typeof openWebhookRecorder>>;

/** Opens an endpoint on this machine and registers it with the platform. */
export async function openWebhookRecorder(platform: FaultPlatform) {
  const received = new Set<string>();
  const { url, close } = await serveLocally(async (request, response) => {
    const { transaction_id, data } = JSON.parse(await text(request));
    received.add(`${transaction_id} ${data.status}`);
    response.writeHead(200).end();
  });
  const answer = await postUntilAnswered(platform, "/webhooks/endpoints", { url });
  if (answer?.status !== 200) throw new Error(`no endpoint: ${answer?.text}`);
  return {
    /** `payout status`, each once. */
    received: received as ReadonlySet<string>,
    close,
  };
}
