import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export type ReceivedWebhook = { readonly headers: IncomingHttpHeaders; readonly body: string };

type Payload = { transaction_id: string; data: { id: string; status: string } };

/** A merchant's endpoint as small as it can be: acknowledges with 200 and remembers. */
export async function startWebhookListener() {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      response.writeHead(200).end();
      server.emit("webhook");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const find = (id: string, status: string) =>
    received.find(({ body }) => {
      const payload = JSON.parse(body) as Payload;
      return payload.transaction_id === id && payload.data.status === status;
    });

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    /** The webhook that tells of a payout's status; waits for it. */
    next: async (id: string, status: string, timeoutMs: number): Promise<ReceivedWebhook> => {
      const signal = AbortSignal.timeout(timeoutMs);
      for (;;) {
        const found = find(id, status);
        if (found !== undefined) return found;
        await once(server, "webhook", { signal }).catch(() => {
          throw new Error(`no webhook told that the payout is ${status}`);
        });
      }
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
