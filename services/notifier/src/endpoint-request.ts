import type {
  CreateEndpointRequest,
  RotateSecretRequest,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { checkBody } from "@disburse/forms/check-body.ts";
import type { BodyValues, PublicBody } from "@disburse/forms/field.ts";
import { createEndpoint, rotateSecret } from "@disburse/forms/webhook-endpoint.ts";
import {
  type Refused,
  refused,
  type Violation,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import type { AddressPolicy } from "./domain/address.ts";
import { urlProblem } from "./domain/endpoint-url.ts";
import { overlapSecondsDefault } from "./domain/secret-set.ts";

type Refusal = Refused<"INVALID_REQUEST">;

function checked(
  body: PublicBody,
  values: BodyValues,
  unreadable: readonly Violation[],
  now: Date,
): BodyValues | Refusal {
  const answer = checkBody(body, values, { now, unreadable });
  return Array.isArray(answer)
    ? refused("INVALID_REQUEST", violationsMessage(answer))
    : answer.values;
}

const text = (value: BodyValues[string] | undefined): string =>
  typeof value === "string" ? value : "";

/** A registration's fields, checked by their form, the URL by what this deployment may reach. */
export function readCreateRequest(
  { url, description, unreadable }: CreateEndpointRequest,
  policy: AddressPolicy,
  now: Date,
): { url: string; description: string } | Refusal {
  const values = checked(createEndpoint, { url, description }, unreadable, now);
  if ("refused" in values) return values as Refusal;
  const read = { url: text(values.url), description: text(values.description) };
  const problem = urlProblem(read.url, policy);
  if (problem === undefined) return read;
  return refused("INVALID_REQUEST", violationsMessage([{ field: "url", problem }]));
}

/** How secrets are to be changed. */
export function readRotateRequest(
  { overlapSeconds = overlapSecondsDefault, stage, unreadable }: RotateSecretRequest,
  now: Date,
): { overlapSeconds: number; stage: boolean } | Refusal {
  const body = { overlap_seconds: overlapSeconds, stage };
  const values = checked(rotateSecret, body, unreadable, now);
  return "refused" in values ? (values as Refusal) : { overlapSeconds, stage };
}
