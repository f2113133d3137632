import {
  CreateEndpointRequestSchema,
  type Endpoint,
  type EndpointHealth,
  type EndpointSecrets,
  RotateSecretRequestSchema,
  UpdateEndpointRequestSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { createEndpoint, rotateSecret, updateEndpoint } from "@disburse/forms/webhook-endpoint.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import { pageQuery } from "../reference/page.ts";
import * as endpoints from "../reference/webhook-endpoints.ts";
import { readMessage } from "./body.ts";
import { type Call, type Operation, param } from "./operation.ts";
import { deliveryData } from "./webhook-deliveries.ts";
import { pageMetaData, present, wireNumber, wireTime } from "./wire.ts";
import { circuitStates, deliveryOrders, endpointStates } from "./words.ts";

/** A registered endpoint (decisions §7). */
export function endpointData(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    state: endpointStates[endpoint.state],
    order: deliveryOrders[endpoint.order],
    event_types: endpoint.eventTypes,
    pending_url: endpoint.pendingUrl,
    created_at: wireTime(endpoint.createdAt),
    updated_at: wireTime(endpoint.updatedAt),
  };
}

function healthData(health: EndpointHealth) {
  return {
    circuit: circuitStates[health.circuit],
    concurrency_limit: health.concurrencyLimit,
    consecutive_failures: health.consecutiveFailures,
    last_delivered_at: wireTime(health.lastDeliveredAt),
    last_failed_at: wireTime(health.lastFailedAt),
    last_failure: health.lastFailure,
    pending_count: wireNumber(health.pendingCount),
    oldest_pending_at: wireTime(health.oldestPendingAt),
  };
}

/** An endpoint as it is read: with how it takes its events. */
function endpointWithHealth(endpoint: Endpoint) {
  return { ...endpointData(endpoint), health: healthData(present(endpoint.health)) };
}

/** An endpoint with its secrets, shown when they are made and never again. */
function endpointWithSecrets(reply: {
  readonly endpoint?: Endpoint | undefined;
  readonly secrets?: EndpointSecrets | undefined;
}) {
  const { secret, standardSecret } = present(reply.secrets);
  return { ...endpointData(present(reply.endpoint)), secret, standard_secret: standardSecret };
}

const endpointOf = (call: Call) => ({
  merchantId: call.merchantId,
  endpointId: param(call, "endpointId"),
});

/** Where webhooks go: registering, reading and removing endpoints. */
function registry({ notifier }: Pick<Clients, "notifier">): readonly Operation[] {
  return [
    {
      ...endpoints.createWebhookEndpoint,
      answer: async ({ merchantId, mutation, body }) => {
        const read = readMessage(createEndpoint, CreateEndpointRequestSchema, body);
        const { message, unreadable } = read;
        const asked = Object.assign(message, { mutation, merchantId, unreadable });
        return endpointWithSecrets(await notifier.createEndpoint(asked));
      },
    },
    {
      ...endpoints.listWebhookEndpoints,
      answer: async ({ merchantId, query }) => {
        const asked = readQuery(query, pageQuery);
        if (isRefused(asked)) return asked;
        const reply = await notifier.listEndpoints({ merchantId, ...asked });
        return {
          endpoints: reply.endpoints.map(endpointWithHealth),
          meta_data: pageMetaData(reply),
        };
      },
    },
    {
      ...endpoints.getWebhookEndpoint,
      answer: async (call) =>
        endpointWithHealth(present((await notifier.getEndpoint(endpointOf(call))).endpoint)),
    },
    {
      ...endpoints.updateWebhookEndpoint,
      answer: async (call) => {
        const read = readMessage(updateEndpoint, UpdateEndpointRequestSchema, call.body);
        const { message, unreadable } = read;
        const { mutation } = call;
        const asked = Object.assign(message, endpointOf(call), { mutation, unreadable });
        return endpointData(present((await notifier.updateEndpoint(asked)).endpoint));
      },
    },
    {
      ...endpoints.deleteWebhookEndpoint,
      answer: async (call) => {
        const asked = { ...endpointOf(call), mutation: call.mutation };
        await notifier.deleteEndpoint(asked);
        return { id: asked.endpointId, deleted: true };
      },
    },
  ];
}

/** Whether an endpoint is sent anything. */
function switches({ notifier }: Pick<Clients, "notifier">): readonly Operation[] {
  const asked = (call: Call) => ({ ...endpointOf(call), mutation: call.mutation });
  return [
    {
      ...endpoints.pauseWebhookEndpoint,
      answer: async (call) =>
        endpointData(present((await notifier.pauseEndpoint(asked(call))).endpoint)),
    },
    {
      ...endpoints.resumeWebhookEndpoint,
      answer: async (call) =>
        endpointData(present((await notifier.resumeEndpoint(asked(call))).endpoint)),
    },
    {
      ...endpoints.verifyWebhookEndpoint,
      answer: async (call) =>
        endpointData(present((await notifier.verifyEndpoint(asked(call))).endpoint)),
    },
  ];
}

/** An endpoint's secrets, and a test event to try it with. */
function secretsAndTest({ notifier }: Pick<Clients, "notifier">): readonly Operation[] {
  return [
    {
      ...endpoints.rotateWebhookSecret,
      answer: async (call) => {
        const read = readMessage(rotateSecret, RotateSecretRequestSchema, call.body);
        const { message, unreadable } = read;
        const { mutation } = call;
        const asked = Object.assign(message, endpointOf(call), { mutation, unreadable });
        return endpointWithSecrets(await notifier.rotateSecret(asked));
      },
    },
    {
      ...endpoints.activateWebhookSecret,
      answer: async (call) => {
        const asked = { ...endpointOf(call), mutation: call.mutation };
        return endpointData(present((await notifier.activateSecret(asked)).endpoint));
      },
    },
    {
      ...endpoints.sendTestWebhook,
      answer: async (call) => {
        const asked = { ...endpointOf(call), mutation: call.mutation };
        return deliveryData(present((await notifier.sendTestEvent(asked)).delivery));
      },
    },
  ];
}

/** Webhook endpoints of a merchant. */
export function webhookEndpointOperations(
  clients: Pick<Clients, "notifier">,
): readonly Operation[] {
  return [...registry(clients), ...switches(clients), ...secretsAndTest(clients)];
}
