import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";
import type { Endpoint, EndpointConfiguration } from "./endpoint.ts";

/**
 * Time limit of a challenge. The result must be stored before the merchant's request reaches its
 * limit of 10 s.
 */
export const challengeTimeoutMs = 8_000;

/**
 * Minimum time between two challenges of an endpoint, or of a merchant to one host. Protects hosts
 * of third parties.
 */
export const challengeGapMs = 5_000;

type Verifiable = Pick<Endpoint, "url" | "verifiedAt" | "pendingUrl">;

/** Returns the URL that awaits verification, if any. */
export function unverifiedUrl({ url, verifiedAt, pendingUrl }: Verifiable): string | undefined {
  return verifiedAt === undefined ? url : pendingUrl;
}

/** Returns true if a URL has another origin than the endpoint's present and pending ones. */
export function leavesOrigin({ url, pendingUrl }: Verifiable, next: string): boolean {
  const known = [url, pendingUrl].flatMap((each) => (each === undefined ? [] : [originOf(each)]));
  return !known.includes(originOf(next));
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/**
 * Returns the fields that change with a new URL. If the URL must be verified, it becomes the
 * pending URL. Until then the verified URL, if any, gets the events.
 */
export function urlChange(
  endpoint: Verifiable,
  url: string,
  { mustVerify, at }: { readonly mustVerify: boolean; readonly at: Date },
): Partial<EndpointConfiguration> {
  const serves = endpoint.verifiedAt !== undefined && url === endpoint.url;
  if (!mustVerify && !serves) return { url, pendingUrl: undefined, verifiedAt: at };
  if (endpoint.verifiedAt === undefined) return { url };
  return { pendingUrl: serves ? undefined : url };
}

/**
 * Returns the fields that mark the pending URL as verified. Returns none if no URL is pending.
 */
export function verification(endpoint: Verifiable, at: Date): Partial<EndpointConfiguration> {
  const url = unverifiedUrl(endpoint);
  return url === undefined ? {} : { url, pendingUrl: undefined, verifiedAt: at };
}

/**
 * Returns the fields that change after a successful challenge. Refuses if the challenged URL is
 * neither pending nor in use any more.
 */
export function challengeResult(
  endpoint: Verifiable,
  challenged: string,
  at: Date,
): Partial<EndpointConfiguration> | Refused<"STATE_NOT_REACHABLE"> {
  const url = unverifiedUrl(endpoint) ?? endpoint.url;
  if (url === challenged) return verification(endpoint, at);
  return refused(
    "STATE_NOT_REACHABLE",
    "The endpoint's URL was changed during its verification. Verify the new URL.",
  );
}

/** Describes to the merchant why a challenge failed. Doesn't reveal any part of the response. */
export function challengeFailure(outcome: Outcome): Refused<"INVALID_REQUEST"> | undefined {
  if (isAcknowledged(outcome)) return undefined;
  const message =
    outcome.kind === "answered"
      ? `The endpoint returned ${outcome.statusCode}.`
      : `The endpoint did not respond (${outcome.error}).`;
  return refused("INVALID_REQUEST", message);
}

/** The content of a challenge or a test event. Both are signed and formatted like other events. */
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

/**
 * Builds the body of a challenge or test event in the format of other events. As usual, `data.id`
 * and `data.status` are signed.
 */
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
