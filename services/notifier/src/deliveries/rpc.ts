import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  DeliveryAttemptSchema,
  type DeliveryRequest,
  DeliveryRequestSchema,
  DeliverySchema,
  DeliveryState,
  type ListDeliveriesRequest,
  type NotifierService,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { headerMask } from "@disburse/forms/bodies/webhooks.ts";
import { otherContent, refused } from "@disburse/kernel/refusal.ts";
import { type SigningDeps, signedRequest } from "../endpoints/keys.ts";
import type { Recipient } from "../endpoints/rules/endpoint.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { orThrow } from "../refusals.ts";
import { type AttemptDocument, type DeliveryDocument, signable } from "./documents.ts";
import { bringForward, makeRedeliveries } from "./redelivery-store.ts";
import type { DeliveryFilter, DeliveryStore } from "./store.ts";

type DeliveryDeps = SigningDeps & {
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  /** Wakes the dispatcher, because a delivery is due. */
  readonly wake: () => void;
};

export function deliveryRpc(deps: DeliveryDeps) {
  const { endpoints, deliveries, clock, wake } = deps;
  return {
    listDeliveries: async (message) => {
      const { shown, ...rest } = await deliveries.list(readFilter(message), message);
      return { deliveries: shown.map((each) => deliveryMessage(each)), ...rest };
    },

    getDelivery: async ({ merchantId, deliveryId }) => {
      const found = await deliveries.find(merchantId, deliveryId);
      const delivery = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const endpoint = await endpoints.find(merchantId, delivery.endpoint_id);
      const request = sentRequest(deps, delivery, endpoint);
      const message = deliveryMessage(delivery, delivery.attempts);
      return { delivery: request === undefined ? message : Object.assign(message, { request }) };
    },

    redeliver: async ({ mutation, merchantId, deliveryId }) => {
      const change = readMutation(mutation);
      const found = await deliveries.find(merchantId, deliveryId);
      const source = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const find = () => deliveries.findByOperation(merchantId, change.operationId);
      let redelivered = await find();
      if (redelivered === null && source.forwarded_by?.includes(change.operationId)) {
        return { delivery: deliveryMessage(source) };
      }
      if (redelivered === null) {
        const endpoint = await endpoints.find(merchantId, source.endpoint_id);
        orThrow(endpoint ?? refused("RECORD_NOT_FOUND"));
        // A pending delivery is still to be sent. A second one would overtake the earlier events
        // that it may wait for.
        if (source.state === "pending") {
          await bringForward(deliveries.collection, [{ source, change }], clock.now());
          wake();
          return {
            delivery: deliveryMessage((await deliveries.find(merchantId, deliveryId)) ?? source),
          };
        }
        await makeRedeliveries(deliveries.collection, [{ source, change }], clock.now());
        redelivered = await find();
      }
      if (redelivered === null)
        throw new Error("a redelivery is missing right after it was written");
      const isSame =
        redelivered.event_id === source.event_id && redelivered.endpoint_id === source.endpoint_id;
      wake();
      return { delivery: deliveryMessage(orThrow(isSame ? redelivered : otherContent)) };
    },
  } satisfies Partial<ServiceImpl<typeof NotifierService>>;
}

/** Builds the filter of a list from the fields in the request. */
function readFilter(message: ListDeliveriesRequest): DeliveryFilter {
  const { endpointId, transactionId } = message;
  const state = enumName(DeliveryState, message.state);
  return {
    ...(endpointId === "" ? {} : { endpointId }),
    ...(transactionId === "" ? {} : { transactionId }),
    ...(state === undefined ? {} : { state }),
  };
}

/**
 * Builds the request of the latest attempt: signed for its time by the endpoint's present secrets,
 * with the merchant's own headers masked. There is none before the first attempt, or if the endpoint
 * is deleted.
 */
function sentRequest(
  deps: SigningDeps,
  delivery: DeliveryDocument,
  endpoint: Recipient | undefined,
): DeliveryRequest | undefined {
  const last = delivery.attempts.at(-1);
  if (endpoint === undefined || last === undefined) return undefined;
  const wall = { now: () => last.started_at };
  const signed = signedRequest(
    { ...deps, wall },
    endpoint,
    endpoint.url,
    signable(delivery),
    wall.now(),
  );
  const own = (endpoint.headerNames ?? []).map((name) => [name, headerMask] as const);
  const headers = { ...Object.fromEntries(own), ...signed.headers };
  const body = Buffer.from(signed.body).toString();
  return create(DeliveryRequestSchema, { url: signed.url, headers, body });
}

function attemptMessage(attempt: AttemptDocument): DeliveryAttempt {
  return create(DeliveryAttemptSchema, {
    number: attempt.number,
    startedAt: timestampFromDate(attempt.started_at),
    durationMs: attempt.duration_ms,
    statusCode: attempt.status_code,
    error: attempt.error,
    responseBody: attempt.response_body,
  });
}

/** Builds the message for a delivery. Lists omit its attempts. */
export function deliveryMessage(
  delivery: Omit<DeliveryDocument, "body" | "attempts">,
  attempts: readonly AttemptDocument[] = [],
): Delivery {
  const { next_attempt_at: next } = delivery;
  return create(DeliverySchema, {
    id: delivery._id,
    merchantId: delivery.merchant_id,
    endpointId: delivery.endpoint_id,
    eventId: delivery.event_id,
    transactionType: delivery.transaction_type,
    transactionId: delivery.transaction_id,
    status: delivery.status,
    sequence: BigInt(delivery.sequence),
    state: enumValue(DeliveryState, delivery.state),
    attemptsCount: delivery.attempts_count,
    ...(next === null ? {} : { nextAttemptAt: timestampFromDate(next) }),
    createdAt: timestampFromDate(delivery.created_at),
    updatedAt: timestampFromDate(delivery.updated_at),
    attempts: attempts.map(attemptMessage),
    replay: delivery.replay,
    test: delivery.test === true,
  });
}
