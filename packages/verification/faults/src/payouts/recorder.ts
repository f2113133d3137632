import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { FaultPlatform } from "../platform.ts";
import { postUntilAnswered } from "./client.ts";

/** A merchant's endpoint that records the changes that it receives. */
export type WebhookRecorder = {
  /** `payout status`, each once. */
  readonly received: ReadonlySet<string>;
  /** Calls received: more than changes, as delivery is at least once. */
  readonly calls: () => number;
  readonly close: () => Promise<void>;
};

/** Opens an endpoint on this machine and registers it with the platform. */
export async function openWebhookRecorder(platform: FaultPlatform): Promise<WebhookRecorder> {
  const received = new Set<string>();
  let calls = 0;
  const server = createServer(async (request, response) => {
    try {
      const { transaction_id, data } = JSON.parse(await text(request));
      received.add(`${transaction_id} ${data.status}`);
      calls += 1;
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
    received,
    calls: () => calls,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
