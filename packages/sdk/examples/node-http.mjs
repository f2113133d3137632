import { createServer } from "node:http";
import { verifyWebhook, WebhookVerificationError } from "@disburse/sdk";

const secret = process.env.DISBURSE_WEBHOOK_SECRET;
const standardSecret = process.env.DISBURSE_STANDARD_SECRET;
// Without one of the secrets, its signature would not be checked.
if (!secret || !standardSecret) throw new Error("set both secrets");

/** Returns the response status for a webhook. */
function receive(rawBody, headers) {
  try {
    const event = verifyWebhook(rawBody, headers, { secret, standardSecret });
    // Store the event here, once for each event.id, and process it later.
    console.log(event.transaction_type, event.transaction_id, event.data.status);
    return 200;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return 400;
  }
}

/** A webhook has at most 64 KiB, so a larger body is not a webhook. */
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
