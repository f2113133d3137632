import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/**
 * A request may name a webhook endpoint's id `endpoint_id`, the documented name, or `endpoint`, its
 * alias. Refuses a request with two different values. A `null` counts as not sent, as in every
 * body.
 */
export function endpointNameProblem(sent: {
  readonly endpoint_id?: unknown;
  readonly endpoint?: unknown;
}): Refused<"INVALID_REQUEST"> | undefined {
  const documented = sent.endpoint_id ?? sent.endpoint;
  if ((sent.endpoint ?? documented) === documented) return undefined;
  return refused("INVALID_REQUEST", "endpoint: must be equal to endpoint_id where both are sent");
}
