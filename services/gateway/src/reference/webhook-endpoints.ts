import { createEndpoint, rotateSecret } from "@disburse/forms/webhook-endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { pageOf, pageQuery } from "./page.ts";
import { component, flag, id, recordTimes, ref, text } from "./schema.ts";
import { delivery } from "./webhook-deliveries.ts";

const described = {
  id: id("whe", "Endpoint id."),
  url: text("Where webhooks are sent.", "https://merchant.example/webhooks"),
  description: text("Your note; empty where none was given.", "Production"),
  ...recordTimes,
} as const;

const endpoint = component("WebhookEndpoint", "Where webhooks are sent.", described);

const endpointWithSecrets = component(
  "WebhookEndpointWithSecrets",
  "An endpoint with the secrets that sign its webhooks. They are shown here and never again.",
  {
    ...described,
    secret: text("Signs the header `X-SERVICE-Signature`.", "…"),
    standard_secret: text("Signs the header `webhook-signature`.", "whsec_…"),
  },
);

const deleted = component("DeletedWebhookEndpoint", "An endpoint that is no more.", {
  id: id("whe", "Endpoint id."),
  deleted: flag("Always true.", true),
});

const endpointPage = pageOf("WebhookEndpointPage", "endpoints", ref(endpoint));

const path = "/api/v1/webhooks/endpoints";
const read = { method: "GET", scope: "webhook:read", tag: "Webhook endpoints" } as const;
const write = { method: "POST", scope: "webhook:write", tag: "Webhook endpoints" } as const;

export const createWebhookEndpoint: Endpoint = {
  ...write,
  id: "createWebhookEndpoint",
  path,
  summary: "Create webhook endpoint",
  description:
    "From now on it is told of every payout's status. The answer shows its two secrets, once.",
  body: { form: createEndpoint },
  data: endpointWithSecrets,
  refusals: ["INVALID_REQUEST"],
};

export const listWebhookEndpoints: Endpoint = {
  ...read,
  id: "listWebhookEndpoints",
  path,
  summary: "List webhook endpoints",
  description: "Your endpoints, oldest first.",
  query: pageQuery,
  data: endpointPage,
  refusals: ["INVALID_REQUEST"],
};

export const getWebhookEndpoint: Endpoint = {
  ...read,
  id: "getWebhookEndpoint",
  path: `${path}/:endpointId`,
  summary: "Get webhook endpoint",
  description: "One endpoint, without its secrets.",
  data: endpoint,
  refusals: ["RECORD_NOT_FOUND"],
};

export const deleteWebhookEndpoint: Endpoint = {
  ...write,
  method: "DELETE",
  id: "deleteWebhookEndpoint",
  path: `${path}/:endpointId`,
  summary: "Delete webhook endpoint",
  description: "Nothing is sent to it any more. Its deliveries stay readable.",
  data: deleted,
  refusals: ["RECORD_NOT_FOUND"],
};

export const rotateWebhookSecret: Endpoint = {
  ...write,
  id: "rotateWebhookSecret",
  path: `${path}/:endpointId/rotate-secret`,
  summary: "Rotate webhook secrets",
  description:
    "Makes new secrets and shows them, once. They sign at once; the old ones sign along for `overlap_seconds`. Staged ones wait for activate-secret.",
  body: { form: rotateSecret, optional: true },
  data: endpointWithSecrets,
  refusals: ["INVALID_REQUEST", "RECORD_NOT_FOUND"],
};

export const activateWebhookSecret: Endpoint = {
  ...write,
  id: "activateWebhookSecret",
  path: `${path}/:endpointId/activate-secret`,
  summary: "Activate staged webhook secrets",
  description: "Staged secrets sign from now on. Refused where none are staged.",
  body: { optional: true },
  data: endpoint,
  refusals: ["RECORD_NOT_FOUND", "INVALID_REQUEST"],
};

export const sendTestWebhook: Endpoint = {
  ...write,
  id: "sendTestWebhook",
  path: `${path}/:endpointId/test`,
  summary: "Send a test event",
  description: "Queues a signed event of the type `webhook_test` for this endpoint.",
  body: { optional: true },
  data: delivery,
  refusals: ["RECORD_NOT_FOUND"],
};

/** Every component of this file, for the document. */
export const webhookEndpointComponents = [endpoint, endpointWithSecrets, deleted, endpointPage];
