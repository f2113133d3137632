import { isDeepStrictEqual } from "node:util";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { headerMask } from "@disburse/forms/bodies/webhooks.ts";
import type { Outcome } from "../sender/rules/outcome.ts";
import type { Recipient, SealedHeaders } from "./rules/endpoint.ts";

/** A merchant's own headers, by name. */
export type Headers = Readonly<Record<string, string>>;

type Owner = Pick<Recipient, "merchantId" | "id">;
type Sealed = Owner & Pick<Recipient, "sealedHeaders">;

function context({ merchantId, id }: Owner): string {
  return `${merchantId}|${id}|headers`;
}

export function sealHeaders(sealer: Sealer, owner: Owner, headers: Headers): SealedHeaders {
  const names = Object.keys(headers).toSorted();
  if (names.length === 0) return { headerNames: undefined, sealedHeaders: undefined };
  return {
    headerNames: names,
    sealedHeaders: sealer.seal(JSON.stringify(headers), context(owner)),
  };
}

/**
 * Seals headers that replace those of an endpoint. Returns `undefined` for equal ones, because a
 * change that changes nothing is not stored.
 */
export function changedHeaders(
  sealer: Sealer,
  endpoint: Sealed,
  headers: Headers,
): SealedHeaders | undefined {
  const isSame = isDeepStrictEqual(openHeaders(sealer, endpoint), headers);
  return isSame ? undefined : sealHeaders(sealer, endpoint, headers);
}

export function openHeaders(sealer: Sealer, endpoint: Sealed): Headers {
  const { sealedHeaders } = endpoint;
  return sealedHeaders === undefined
    ? {}
    : JSON.parse(sealer.open(sealedHeaders, context(endpoint)));
}

/** Encrypts the headers again with the current encryption key. */
export function resealedHeaders(sealer: Sealer, endpoint: Sealed): string | undefined {
  const { sealedHeaders } = endpoint;
  if (sealedHeaders === undefined || sealer.isCurrent(sealedHeaders)) return sealedHeaders;
  return sealer.seal(sealer.open(sealedHeaders, context(endpoint)), context(endpoint));
}

/**
 * Masks header values in a response, because a receiver may return the request that it got. One pass
 * finds the longest value at each place, so no mask is masked again. The response doesn't grow, so
 * its limit of 1 KiB still holds.
 */
export function maskedOutcome(outcome: Outcome, headers: Headers): Outcome {
  const values = Object.values(headers).toSorted((a, b) => b.length - a.length);
  if (outcome.kind !== "answered" || values.length === 0) return outcome;
  const anyValue = new RegExp(values.map((value) => RegExp.escape(value)).join("|"), "g");
  const body = outcome.body.replace(anyValue, headerMask);
  return { ...outcome, body: body.slice(0, outcome.body.length) };
}
