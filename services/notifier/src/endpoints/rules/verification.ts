import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";
import type { Endpoint, EndpointSettings } from "./endpoint.ts";

/**
 * A challenge must end, with its result stored, before the 10 s limit of the merchant's request.
 */
export const challengeTimeoutMs = 8_000;

/** Minimum time between challenges of an endpoint or to a host, to protect third parties. */
export const challengeGapMs = 5_000;

type Verifiable = Pick<Endpoint, "url" | "verifiedAt" | "pendingUrl">;

/** Returns the URL awaiting verification, if any. */
export function unverifiedUrl({ url, verifiedAt, pendingUrl }: Verifiable): string | undefined {
  return verifiedAt === undefined ? url : pendingUrl;
}

/**
 * Returns the settings to change for a new URL. If it must be verified, it becomes pending while
 * the verified URL, if any, stays in use.
 */
export function urlChange(
  endpoint: Verifiable,
  url: string,
  { mustVerify, at }: { readonly mustVerify: boolean; readonly at: Date },
): Partial<EndpointSettings> {
  const serves = endpoint.verifiedAt !== undefined && url === endpoint.url;
  if (!mustVerify && !serves) return { url, pendingUrl: undefined, verifiedAt: at };
  if (endpoint.verifiedAt === undefined) return { url };
  return { pendingUrl: serves ? undefined : url };
}

/** Returns the settings that make the pending URL trusted, or none if no URL is pending. */
export function verification(endpoint: Verifiable, at: Date): Partial<EndpointSettings> {
  const url = unverifiedUrl(endpoint);
  return url === undefined ? {} : { url, pendingUrl: undefined, verifiedAt: at };
}

/**
 * Like `verification`, after a challenge. Refuses if the challenged URL is neither pending nor in
 * use.
 */
export function challengeResult(
  endpoint: Verifiable,
  challenged: string,
  at: Date,
): Partial<EndpointSettings> | Refused<"INVALID_REQUEST"> {
  const url = unverifiedUrl(endpoint) ?? endpoint.url;
  if (url === challenged) return verification(endpoint, at);
  return refused("INVALID_REQUEST", "The URL was changed during the challenge.");
}

/** Describes a failed challenge to the merchant, without any part of the response. */
export function challengeFailure(outcome: Outcome): Refused<"INVALID_REQUEST"> | undefined {
  if (isAcknowledged(outcome)) return undefined;
  const message =
    outcome.kind === "answered"
      ? `The endpoint answered ${outcome.statusCode}.`
      : `The endpoint did not answer (${outcome.error}).`;
  return refused("INVALID_REQUEST", message);
}

/** A challenge or a test event, signed and framed like any event. */
export type Trial = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly endpointId: string;
  readonly createdAt: Date;
};

export const challengeStatus = "challenge";

export function challengeBody(challenge: Trial): Uint8Array {
  return trialBody("webhook_challenge", challengeStatus, challenge);
}

/** Builds a trial's body in the usual frame. `data.id` and `data.status` are signed as usual. */
export function trialBody(type: string, status: string, trial: Trial): Uint8Array {
  const { eventId, merchantId, endpointId, createdAt } = trial;
  const data = {
    id: eventId,
    status,
    merchant_id: merchantId,
    endpoint_id: endpointId,
    created_at: isoTime(createdAt),
  };
  const body = { transaction_type: type, transaction_id: eventId, data };
  return new TextEncoder().encode(JSON.stringify(body));
}
