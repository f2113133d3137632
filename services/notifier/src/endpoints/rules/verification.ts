import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";
import type { Endpoint, EndpointSettings } from "./endpoint.ts";

/** A challenge ends before the 10 s that a merchant's request may take, its outcome included. */
export const challengeTimeoutMs = 8_000;

/** Between challenges of an endpoint, or to a host: they must not hammer a third party. */
export const challengeGapMs = 5_000;

type Verifiable = Pick<Endpoint, "url" | "verifiedAt" | "pendingUrl">;

/** The URL that has to be verified before events go to it, if there is one. */
export function unverifiedUrl({ url, verifiedAt, pendingUrl }: Verifiable): string | undefined {
  return verifiedAt === undefined ? url : pendingUrl;
}

/**
 * What a new URL changes: if it has to be verified, it waits beside the one that serves, if any.
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

/** What it changes that the URL that waits is trusted now; nothing where none waits. */
export function verification(endpoint: Verifiable, at: Date): Partial<EndpointSettings> {
  const url = unverifiedUrl(endpoint);
  return url === undefined ? {} : { url, pendingUrl: undefined, verifiedAt: at };
}

/** The same after a challenge to a URL, which must be the one that waits, or serve by now. */
export function challengeResult(
  endpoint: Verifiable,
  challenged: string,
  at: Date,
): Partial<EndpointSettings> | Refused<"INVALID_REQUEST"> {
  const url = unverifiedUrl(endpoint) ?? endpoint.url;
  if (url === challenged) return verification(endpoint, at);
  return refused("INVALID_REQUEST", "The URL was changed during the challenge.");
}

/** How a challenge failed, in words for the merchant and without anything that was answered. */
export function challengeFailure(outcome: Outcome): Refused<"INVALID_REQUEST"> | undefined {
  if (isAcknowledged(outcome)) return undefined;
  const said =
    outcome.kind === "answered"
      ? `The endpoint answered ${outcome.statusCode}.`
      : `The endpoint did not answer (${outcome.error}).`;
  return refused("INVALID_REQUEST", said);
}

/** A challenge or a test event; signed and framed as any event is. */
export type Trial = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly endpointId: string;
  readonly createdAt: Date;
};

/** Status of a challenge. */
export const challengeStatus = "challenge";

/** The bytes of a challenge. */
export function challengeBody(challenge: Trial): Uint8Array {
  return trialBody("webhook_challenge", challengeStatus, challenge);
}

/** The bytes of a trial: the usual frame, `data.id` and `data.status` signed as usual. */
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
