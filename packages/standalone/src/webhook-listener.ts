import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What the answer to registering an endpoint shows, once. */
export type WebhookSecrets = { readonly secret: string; readonly standard_secret: string };

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
    verify,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Checks both signatures as a merchant does; throws when one is not genuine. */
function verify({ headers, body }: ReceivedWebhook, secrets: WebhookSecrets): void {
  const { id, status } = (JSON.parse(body) as Payload).data;
  const plain = createHash("sha256").update(`${id},${status}:${secrets.secret}`).digest("base64");
  if (!isSame(String(headers["x-service-signature"]), plain)) {
    throw new Error("X-SERVICE-Signature is not genuine");
  }
  const key = Buffer.from(secrets.standard_secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const standard = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  const sent = String(headers["webhook-signature"]).split(" ");
  if (!sent.some((each) => isSame(each, standard))) {
    throw new Error("webhook-signature is not genuine");
  }
}

function isSame(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
