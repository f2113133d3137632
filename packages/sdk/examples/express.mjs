import { verifyWebhook, WebhookVerificationError } from "@disburse/sdk";
import express from "express";

const secret = process.env.DISBURSE_WEBHOOK_SECRET;
const standardSecret = process.env.DISBURSE_STANDARD_SECRET;
// Without one of them what it signs would not be checked.
if (!secret || !standardSecret) throw new Error("both secrets have to be set");

const app = express();
// The body as it arrived: no express.json() may come before.
const rawBody = express.raw({ type: () => true, limit: "128kb" });

app.post("/webhooks", rawBody, (request, response) => {
  try {
    const event = verifyWebhook(request.body, request.headers, { secret, standardSecret });
    // Store it here, once for each event.id, and work on it later.
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
