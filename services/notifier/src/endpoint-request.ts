import type {
  CreateEndpointRequest,
  RotateSecretRequest,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { createEndpoint, rotateSecret } from "@disburse/forms/webhook-endpoint.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { AddressPolicy } from "./domain/address.ts";
import { urlProblem } from "./domain/endpoint-url.ts";
import { overlapSecondsDefault } from "./domain/secret-set.ts";
import { checkedBody, type InvalidRequest, invalid, textOf } from "./request-body.ts";

/** A registration's fields, checked by their form, the URL by what this deployment may reach. */
export function readCreateRequest(
  { url, description, unreadable }: CreateEndpointRequest,
  policy: AddressPolicy,
  now: Date,
): { url: string; description: string } | InvalidRequest {
  const checked = checkedBody(createEndpoint, { url, description }, unreadable, now);
  if (isRefused(checked)) return checked;
  const { values } = checked;
  const read = { url: textOf(values, "url"), description: textOf(values, "description") };
  const problem = urlProblem(read.url, policy);
  return problem === undefined ? read : invalid([{ field: "url", problem }]);
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
