import { verifyWebhook, WebhookVerificationError } from "@disburse/sdk";
import express from "express";

const secret = process.env.DISBURSE_WEBHOOK_SECRET;
const standardSecret = process.env.DISBURSE_STANDARD_SECRET;
// Without one of the secrets, its signature would not be checked.
if (!secret || !standardSecret) throw new Error("set both secrets");

const app = express();
// The raw body: do not use express.json() before this.
const rawBody = express.raw({ type: () => true, limit: "128kb" });

app.post("/webhooks", rawBody, (request, response) => {
  try {
    const event = verifyWebhook(request.body, request.headers, { secret, standardSecret });
    // Store the event here, once for each event.id, and process it later.
    console.log(event.transaction_type, event.transaction_id, event.data.status);
    response.sendStatus(200);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.sendStatus(400);
  }
});

const server = app.listen(process.env.PORT ?? 3000, "127.0.0.1", () => {
  console.log(`listening on port ${server.address().port}`);
});
