import {
  type CreateEndpointRequest,
  CreateEndpointRequestSchema,
  type RotateSecretRequest,
  RotateSecretRequestSchema,
  type UpdateEndpointRequest,
  UpdateEndpointRequestSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  createEndpoint,
  deliveryOrders,
  rotateSecret,
  updateEndpoint,
} from "@disburse/forms/bodies/webhooks.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { wholeBody } from "@disburse/forms/checks/read.ts";
import { invalidRequest, isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import type { AddressRules } from "../sender/rules/address.ts";
import { urlProblem } from "../sender/rules/url.ts";
import type { DeliveryOrder, EndpointConfiguration } from "./rules/endpoint.ts";
import { everyEvent } from "./rules/event-filter.ts";
import { overlapSecondsDefault } from "./rules/secret-set.ts";

type RequestedConfiguration = Pick<
  EndpointConfiguration,
  "url" | "description" | "order" | "eventTypes"
>;

type Invalid = Refused<"INVALID_REQUEST">;

/**
 * Checks the fields of a registration by their form, and the URL by the address rules of the
 * deployment.
 */
export function readCreateRequest(
  message: CreateEndpointRequest,
  rules: AddressRules,
  now: Date,
): RequestedConfiguration | Invalid {
  const context = { now, unreadable: message.unreadable };
  const checked = checkedMessage(createEndpoint, CreateEndpointRequestSchema, message, context);
  if (isRefused(checked)) return checked;
  const { url, description, eventTypes } = checked;
  const order = orderOf(checked.order) ?? "bounded";
  const types = eventTypes.length === 0 ? [everyEvent] : eventTypes;
  return invalidUrl(url, rules) ?? { url, description, order, eventTypes: types };
}

/** Checks a change by the rules for a registration. An empty description removes the stored one. */
export function readUpdateRequest(
  message: UpdateEndpointRequest,
  rules: AddressRules,
  now: Date,
): Partial<RequestedConfiguration> | Invalid {
  const context = { now, unreadable: message.unreadable };
  const checked = checkedMessage(updateEndpoint, UpdateEndpointRequestSchema, message, context);
  if (isRefused(checked)) return checked;
  const { url, description = "", eventTypes } = checked;
  const order = orderOf(checked.order);
  const changes = {
    ...(url === undefined ? {} : { url }),
    ...(message.description === undefined ? {} : { description }),
    ...(order === undefined ? {} : { order }),
    ...(eventTypes.length === 0 ? {} : { eventTypes }),
  };
  const noChange = "must have at least one of url, description, order, event_types";
  if (Object.keys(changes).length === 0) {
    return invalidRequest([{ field: wholeBody, problem: noChange }]);
  }
  return (url === undefined ? undefined : invalidUrl(url, rules)) ?? changes;
}

export function readRotateRequest(
  message: RotateSecretRequest,
  now: Date,
): { overlapSeconds: number; stage: boolean } | Invalid {
  const context = { now, unreadable: message.unreadable };
  const checked = checkedMessage(rotateSecret, RotateSecretRequestSchema, message, context);
  if (isRefused(checked)) return checked;
  return { overlapSeconds: checked.overlapSeconds ?? overlapSecondsDefault, stage: checked.stage };
}

function invalidUrl(url: string, rules: AddressRules): Invalid | undefined {
  const problem = urlProblem(url, rules);
  return problem === undefined ? undefined : invalidRequest([{ field: "url", problem }]);
}

function orderOf(word: string | undefined): DeliveryOrder | undefined {
  return deliveryOrders.find((order) => order === word);
}
