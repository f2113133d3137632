import { verifyWebhook, WebhookVerificationError } from "@disburse/sdk";
import Koa from "koa";

const secret = process.env.DISBURSE_WEBHOOK_SECRET;
const standardSecret = process.env.DISBURSE_STANDARD_SECRET;
// Without one of the secrets, its signature would not be checked.
if (!secret || !standardSecret) throw new Error("set both secrets");

/** A webhook has at most 64 KiB, so a larger body is not a webhook. */
const bytesMax = 128 * 1024;

const app = new Koa();

app.use(async (context) => {
  if (context.method !== "POST" || context.path !== "/webhooks") return;
  // The raw body: do not use a body parser before this.
  const chunks = [];
  let bytes = 0;
  for await (const chunk of context.req) {
    bytes += chunk.length;
    if (bytes > bytesMax) context.throw(413);
    chunks.push(chunk);
  }
  try {
    const event = verifyWebhook(Buffer.concat(chunks), context.headers, { secret, standardSecret });
    // Store the event here, once for each event.id, and process it later.
    console.log(event.transaction_type, event.transaction_id, event.data.status);
    context.status = 200;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    context.status = 400;
  }
});

const server = app.listen(process.env.PORT ?? 3000, "127.0.0.1", () => {
  console.log(`listening on port ${server.address().port}`);
});
