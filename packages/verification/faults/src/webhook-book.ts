import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { postCarefully } from "./careful-client.ts";
import type { FaultPlatform } from "./fault-platform.ts";

/** A merchant's endpoint that writes down which changes it was told of. */
export type WebhookBook = {
  /** `payout status`, each once. */
  readonly told: ReadonlySet<string>;
  /** How many calls came: more than there are changes, as delivery is at least once. */
  readonly calls: () => number;
  readonly close: () => Promise<void>;
};

/** Opens an endpoint on this machine and registers it with the platform. */
export async function openWebhookBook(platform: FaultPlatform): Promise<WebhookBook> {
  const told = new Set<string>();
  let calls = 0;
  const server = createServer(async (request, response) => {
    try {
      const { transaction_id, data } = JSON.parse(await text(request));
      told.add(`${transaction_id} ${data.status}`);
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
  const answer = await postCarefully(platform, "/webhooks/endpoints", { url });
  if (answer?.status !== 200) throw new Error(`no endpoint: ${answer?.text}`);
  return {
    told,
    calls: () => calls,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
