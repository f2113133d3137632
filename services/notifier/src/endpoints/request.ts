import type {
  CreateEndpointRequest,
  RotateSecretRequest,
  UpdateEndpointRequest,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  createEndpoint,
  deliveryOrders,
  rotateSecret,
  updateEndpoint,
} from "@disburse/forms/bodies/webhooks.ts";
import { wholeBody } from "@disburse/forms/checks/read.ts";
import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { AddressRules } from "../sender/rules/address.ts";
import { urlProblem } from "../sender/rules/url.ts";
import { checkedBody, type InvalidRequest, invalid, textOf } from "./request-body.ts";
import type { DeliveryOrder, EndpointSettings } from "./rules/endpoint.ts";
import { everyEvent } from "./rules/event-filter.ts";
import { overlapSecondsDefault } from "./rules/secret-set.ts";

/** What a merchant says of an endpoint. */
type RequestedSettings = Pick<EndpointSettings, "url" | "description" | "order" | "eventTypes">;

/** A registration's fields, checked by their form, the URL by what this deployment may reach. */
export function readCreateRequest(
  message: CreateEndpointRequest,
  { policy, ownNetworks }: AddressRules,
  now: Date,
): RequestedSettings | InvalidRequest {
  const { url, description, order, eventTypes, unreadable } = message;
  const body = { url, description, order, event_types: eventTypes };
  const checked = checkedBody(createEndpoint, body, unreadable, now);
  if (isRefused(checked)) return checked;
  const { values } = checked;
  const read = {
    url: textOf(values, "url"),
    description: textOf(values, "description"),
    order: orderOf(values) ?? "bounded",
    eventTypes: eventTypesOf(values) ?? [everyEvent],
  };
  const problem = urlProblem(read.url, policy, ownNetworks);
  return problem === undefined ? read : invalid([{ field: "url", problem }]);
}

/** What is to be changed of an endpoint, in the same way; a description can be taken away. */
export function readUpdateRequest(
  message: UpdateEndpointRequest,
  { policy, ownNetworks }: AddressRules,
  now: Date,
): Partial<RequestedSettings> | InvalidRequest {
  const { url = "", description, order = "", eventTypes, unreadable } = message;
  const body = { url, description: description ?? "", order, event_types: eventTypes };
  const checked = checkedBody(updateEndpoint, body, unreadable, now);
  if (isRefused(checked)) return checked;
  const { values } = checked;
  const asked = {
    url: values.url === undefined ? undefined : textOf(values, "url"),
    description: description === undefined ? undefined : textOf(values, "description"),
    order: orderOf(values),
    eventTypes: eventTypesOf(values),
  };
  const named = Object.entries(asked).filter(([, value]) => value !== undefined);
  if (named.length === 0) return invalid([{ field: wholeBody, problem: noChange }]);
  const problem = asked.url === undefined ? undefined : urlProblem(asked.url, policy, ownNetworks);
  return problem === undefined ? Object.fromEntries(named) : invalid([{ field: "url", problem }]);
}

const noChange = "must have at least one of url, description, order, event_types";

function orderOf(values: BodyValues): DeliveryOrder | undefined {
  return deliveryOrders.find((order) => order === values.order);
}

function eventTypesOf({ event_types: types }: BodyValues): string[] | undefined {
  if (!Array.isArray(types)) return undefined;
  return types.filter((type) => typeof type === "string");
}

/** How secrets are to be changed. */
export function readRotateRequest(
  { overlapSeconds = overlapSecondsDefault, stage, unreadable }: RotateSecretRequest,
  now: Date,
): { overlapSeconds: number; stage: boolean } | InvalidRequest {
  const body = { overlap_seconds: overlapSeconds, stage };
  const checked = checkedBody(rotateSecret, body, unreadable, now);
  return isRefused(checked) ? checked : { overlapSeconds, stage };
}
