import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { FaultPlatform } from "../platform.ts";
import { postUntilAnswered } from "./client.ts";

/** A merchant's endpoint that records the changes that it receives. */
export type WebhookRecorder = Awaited<ReturnType<typeof openWebhookRecorder>>;

/** Opens an endpoint on this machine and registers it with the platform. */
export async function openWebhookRecorder(platform: FaultPlatform) {
  const received = new Set<string>();
  const server = createServer(async (request, response) => {
    try {
      const { transaction_id, data } = JSON.parse(await text(request));
      received.add(`${transaction_id} ${data.status}`);
      response.writeHead(200).end();
    } catch {
      // Its sender was killed in the middle of a call: there is nothing to write down.
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await postUntilAnswered(platform, "/webhooks/endpoints", { url });
  if (answer?.status !== 200) throw new Error(`no endpoint: ${answer?.text}`);
  return {
    /** `payout status`, each once. */
    received: received as ReadonlySet<string>,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
