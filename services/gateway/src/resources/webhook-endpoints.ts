import {
  CircuitState,
  CreateEndpointRequestSchema,
  type CreateEndpointResponse,
  DeliveryOrder,
  EndpointHealthSchema,
  EndpointSchema,
  EndpointSecretsSchema,
  EndpointState,
  ListEndpointsResponseSchema,
  RotateSecretRequestSchema,
  UpdateEndpointRequestSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  createEndpoint,
  headerMask,
  rotateSecret,
  updateEndpoint,
} from "@disburse/forms/bodies/webhooks.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyRequest, get, patch, post, type Resource, remove } from "../openapi/route.ts";
import { delivery } from "./webhook-deliveries.ts";

const described = f.fields(EndpointSchema, {
  id: f.id("whe", "Endpoint id."),
  url: f.text("URL that webhooks are sent to.", "https://merchant.example/webhooks"),
  description: f.text("Your note; empty if none was given.", "Production"),
  state: f.word(
    EndpointState,
    "`paused`: its events wait for resume. `unverified`: they wait for verify.",
  ),
  order: f.word(DeliveryOrder, "Order in which the events of one transaction arrive."),
  event_types: f.listOf(
    "Event types that it receives: `*` for all.",
    f.text("A transaction type, or one with a status.", "*"),
  ),
  headers: f.from(
    ({ headerNames }) => {
      const masked = Object.fromEntries(headerNames.map((name) => [name, headerMask]));
      return headerNames.length === 0 ? undefined : masked;
    },
    f.optional(
      f.pairs(
        `Your own headers, each with the value \`${headerMask}\`; omitted if there are none.`,
        { Authorization: headerMask },
      ),
    ),
  ),
  pending_url: f.text("A new URL that is not verified yet; empty if there is none.", ""),
  paused_at: f.momentOrNone("When it was paused; empty if it is not paused."),
  pause_reason: f.oneOf(
    "Why it is paused: `requested`, `gone` (every attempt of a delivery got 410 for 24 hours) or `unresponsive` (nothing acknowledged for five days with a delivery due on each). Empty if it is not paused.",
    ["", "requested", "gone", "unresponsive"],
  ),
  ...f.recordTimes,
});

const health = f.record(
  EndpointHealthSchema,
  "WebhookEndpointHealth",
  "Delivery health, some seconds old.",
  {
    circuit: f.word(
      CircuitState,
      "`open`: it acknowledged nothing for 10 s and 10 attempts; one attempt at a time, 5 s apart.",
    ),
    concurrency_limit: f.whole("Attempts that may run concurrently; a failure halves it.", 8, {
      minimum: 1,
      maximum: 32,
    }),
    consecutive_failures: f.whole("Failures since the last 200.", 0),
    last_delivered_at: f.momentOrNone("When it last returned 200; empty if it never did."),
    last_failed_at: f.momentOrNone("When an attempt last failed; empty if none has."),
    last_failure: f.text("Status or error of the last failure; empty if there was none.", "503"),
    pending_count: f.whole("Waiting deliveries, counted up to 10,000.", 0),
    oldest_pending_at: f.momentOrNone("When the oldest of them was created; empty if none waits."),
  },
);

/** A registered endpoint (decisions §7). */
const endpoint = f.component("WebhookEndpoint", "A URL that webhooks are sent to.", described);

const endpointWithHealth = f.component(
  "WebhookEndpointWithHealth",
  "An endpoint with its health.",
  { ...described, ...f.fields(EndpointSchema, { health: f.ref(health) }) },
);

type EndpointAndSecrets = Pick<CreateEndpointResponse, "endpoint" | "secrets">;

const endpointWithSecrets = f.component<EndpointAndSecrets>(
  "WebhookEndpointWithSecrets",
  "An endpoint with the secrets that sign its webhooks, which are shown only here.",
  {
    ...f.within(({ endpoint }) => endpoint, described),
    ...f.within(
      ({ secrets }) => secrets,
      f.fields(EndpointSecretsSchema, {
        secret: f.secret("Signs the header `X-SERVICE-Signature`.", "…"),
        standard_secret: f.secret("Signs the header `webhook-signature`.", "whsec_…"),
      }),
    ),
  },
);

const deleted = f.component("DeletedWebhookEndpoint", "A deleted endpoint.", {
  id: f.from(({ endpointId }: { endpointId: string }) => endpointId, f.id("whe", "Endpoint id.")),
  deleted: f.from(() => true, f.flag("Always true.", true)),
});

const endpointPage = f.pageOf(
  ListEndpointsResponseSchema,
  "WebhookEndpointPage",
  "endpoints",
  endpointWithHealth,
);

const path = "/api/v1/webhooks/endpoints";

export const webhookEndpoints: Resource = {
  scope: "webhook",
  tag: "Webhook endpoints",
  components: [endpoint, health, endpointWithHealth, endpointWithSecrets, deleted, endpointPage],
  routes: [
    post("createWebhookEndpoint", path, {
      summary: "Create webhook endpoint",
      description:
        "It receives the events that it subscribes to from now on; in live mode once its URL is verified, and with `paused` once it is resumed. The response contains its two secrets, which are not shown again.",
      body: { form: createEndpoint },
      data: endpointWithSecrets,
      answer: (call, { notifier }) =>
        notifier.createEndpoint(bodyRequest(call, CreateEndpointRequestSchema)),
    }),
    get("listWebhookEndpoints", path, {
      summary: "List webhook endpoints",
      description: "Your endpoints, oldest first.",
      query: q.page,
      data: endpointPage,
      answer: ({ request }, { notifier }) => notifier.listEndpoints(request),
    }),
    get("getWebhookEndpoint", `${path}/:endpointId`, {
      summary: "Get webhook endpoint",
      description: "One endpoint, without its secrets.",
      data: endpointWithHealth,
      answer: async ({ request }, { notifier }) => (await notifier.getEndpoint(request)).endpoint,
    }),
    patch("updateWebhookEndpoint", `${path}/:endpointId`, {
      summary: "Update webhook endpoint",
      description:
        "Changes only the fields that are sent. In live mode a new URL waits as `pending_url` until it is verified; until then events go to the old one. Existing deliveries keep their order; new event types apply to later events.",
      body: { form: updateEndpoint },
      data: endpoint,
      answer: async (call, { notifier }) =>
        (await notifier.updateEndpoint(bodyRequest(call, UpdateEndpointRequestSchema))).endpoint,
    }),
    remove("deleteWebhookEndpoint", `${path}/:endpointId`, {
      summary: "Delete webhook endpoint",
      description:
        "The platform sends nothing more to the endpoint. Its deliveries remain readable.",
      data: deleted,
      answer: async ({ change }, { notifier }) => {
        await notifier.deleteEndpoint(change);
        return change;
      },
    }),
    post("pauseWebhookEndpoint", `${path}/:endpointId/pause`, {
      summary: "Pause webhook endpoint",
      description:
        "The platform sends nothing to the endpoint until you resume it; its events wait. The time of the pause does not count towards the 24 hours of a delivery.",
      data: endpoint,
      answer: async ({ change }, { notifier }) => (await notifier.pauseEndpoint(change)).endpoint,
    }),
    post("resumeWebhookEndpoint", `${path}/:endpointId/resume`, {
      summary: "Resume webhook endpoint",
      description: "Sends the events that have waited since the endpoint was paused.",
      data: endpoint,
      answer: async ({ change }, { notifier }) => (await notifier.resumeEndpoint(change)).endpoint,
    }),
    post("verifyWebhookEndpoint", `${path}/:endpointId/verify`, {
      summary: "Verify webhook endpoint",
      description:
        "Posts a signed event of the type `webhook_challenge` to the URL that is not live yet: the first one, or `pending_url`. If it answers 200 within 8 s, events go there from then on. Otherwise the request is refused with what was answered, and an endpoint that is live stays live. One challenge at a time, at least 5 s apart.",
      data: endpoint,
      refusals: ["STATE_NOT_REACHABLE"],
      answer: async ({ change }, { notifier }) => (await notifier.verifyEndpoint(change)).endpoint,
    }),
    post("rotateWebhookSecret", `${path}/:endpointId/rotate-secret`, {
      summary: "Rotate webhook secrets",
      description:
        "Creates new secrets and returns them, once. They sign immediately; the old ones also sign for `overlap_seconds`. Staged secrets wait for activate-secret.",
      body: { form: rotateSecret, optional: true },
      data: endpointWithSecrets,
      answer: (call, { notifier }) =>
        notifier.rotateSecret(bodyRequest(call, RotateSecretRequestSchema)),
    }),
    post("activateWebhookSecret", `${path}/:endpointId/activate-secret`, {
      summary: "Activate staged webhook secrets",
      description:
        "The staged secrets sign all webhooks from now on. `STATE_NOT_REACHABLE`: no secrets are staged.",
      data: endpoint,
      refusals: ["STATE_NOT_REACHABLE"],
      answer: async ({ change }, { notifier }) => (await notifier.activateSecret(change)).endpoint,
    }),
    post("sendTestWebhook", `${path}/:endpointId/test`, {
      summary: "Send a test event",
      description: "Queues a signed event of the type `webhook_test` for this endpoint.",
      data: delivery,
      answer: async ({ change }, { notifier }) => (await notifier.sendTestEvent(change)).delivery,
    }),
  ],
};
