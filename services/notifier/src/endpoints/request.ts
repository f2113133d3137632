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
import type { Headers } from "./headers.ts";
import type { DeliveryOrder, EndpointConfiguration } from "./rules/endpoint.ts";
import { everyEvent } from "./rules/event-filter.ts";
import { headerNamesProblem } from "./rules/header-names.ts";
import { pause } from "./rules/pause.ts";
import { overlapSecondsDefault } from "./rules/secret-set.ts";

type RequestedEndpoint = Pick<
  EndpointConfiguration,
  "url" | "description" | "order" | "eventTypes"
> & { readonly headers: Headers };

type Invalid = Refused<"INVALID_REQUEST">;

/** The rules of the deployment for URLs and headers. */
type DeploymentRules = AddressRules & { readonly signatureHeader: string };

/**
 * Checks the fields of a registration by their form, and the URL and the headers by the rules of
 * the deployment.
 */
export function readCreateRequest(
  message: CreateEndpointRequest,
  rules: DeploymentRules,
  now: Date,
): (RequestedEndpoint & Partial<EndpointConfiguration>) | Invalid {
  const context = { now, unreadable: message.unreadable };
  const checked = checkedMessage(createEndpoint, CreateEndpointRequestSchema, message, context);
  if (isRefused(checked)) return checked;
  const { url, description, eventTypes } = checked;
  const headers = (checked.headers ?? {}) as Headers;
  const order = orderOf(checked.order) ?? "bounded";
  const types = eventTypes.length === 0 ? [everyEvent] : eventTypes;
  const paused = checked.paused ? pause({}, "requested", now) : {};
  return (
    refusedTarget({ url, headers }, rules) ?? {
      url,
      description,
      order,
      headers,
      eventTypes: types,
      ...paused,
    }
  );
}

/** Checks a change by the rules for a registration. An empty description removes the stored one. */
export function readUpdateRequest(
  message: UpdateEndpointRequest,
  rules: DeploymentRules,
  now: Date,
): Partial<RequestedEndpoint> | Invalid {
  const context = { now, unreadable: message.unreadable };
  const checked = checkedMessage(updateEndpoint, UpdateEndpointRequestSchema, message, context);
  if (isRefused(checked)) return checked;
  const { url, description = "", eventTypes } = checked;
  const headers = checked.headers as Headers | undefined;
  const order = orderOf(checked.order);
  const changes = {
    ...(url === undefined ? {} : { url }),
    ...(message.description === undefined ? {} : { description }),
    ...(order === undefined ? {} : { order }),
    ...(eventTypes.length === 0 ? {} : { eventTypes }),
    ...(headers === undefined ? {} : { headers }),
  };
  const noChange = "must have at least one of url, description, order, event_types, headers";
  if (Object.keys(changes).length === 0) {
    return invalidRequest([{ field: wholeBody, problem: noChange }]);
  }
  return refusedTarget({ url, headers }, rules) ?? changes;
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

function refusedTarget(
  { url, headers = {} }: { url: string | undefined; headers: Headers | undefined },
  rules: DeploymentRules,
): Invalid | undefined {
  const problems = {
    url: url === undefined ? undefined : urlProblem(url, rules),
    headers: headerNamesProblem(Object.keys(headers), rules.signatureHeader),
  };
  const violations = Object.entries(problems).flatMap(([field, problem]) =>
    problem === undefined ? [] : [{ field, problem }],
  );
  return violations.length === 0 ? undefined : invalidRequest(violations);
}

function orderOf(word: string | undefined): DeliveryOrder | undefined {
  return deliveryOrders.find((order) => order === word);
}
