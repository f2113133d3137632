import { createServer } from "node:http";
import { verifyWebhook, WebhookVerificationError } from "@disburse/sdk";

const secret = process.env.DISBURSE_WEBHOOK_SECRET;
const standardSecret = process.env.DISBURSE_STANDARD_SECRET;
// Without one of them what it signs would not be checked.
if (!secret || !standardSecret) throw new Error("both secrets have to be set");

/** The status that answers a webhook. */
function receive(rawBody, headers) {
  try {
    const event = verifyWebhook(rawBody, headers, { secret, standardSecret });
    // Store it here, once for each event.id, and work on it later.
    console.log(event.transaction_type, event.transaction_id, event.data.status);
    return 200;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return 400;
  }
}

/** A webhook has at most 64 KiB; what has more is none. */
const bytesMax = 128 * 1024;

const server = createServer((request, response) => {
  const chunks = [];
  let bytes = 0;
  request.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes > bytesMax) request.destroy();
    else chunks.push(chunk);
  });
  request.on("end", () => {
    const isWebhook = request.method === "POST" && request.url === "/webhooks";
    response.writeHead(isWebhook ? receive(Buffer.concat(chunks), request.headers) : 404).end();
  });
});

server.listen(process.env.PORT ?? 3000, "127.0.0.1", () => {
  console.log(`listening on port ${server.address().port}`);
});
