import { SignJWT } from "jose";
import type { ServiceKey } from "./keys.ts";

/** Answers the `authorization` of a call to a service, by that service's name. */
export type ClientIdentity = (to: string) => string | Promise<string>;

/** How long a service's token is good. */
export const serviceTokenSeconds = 300;
/** A token is made anew when it is good for less than this. */
const renewBeforeMs = 60_000;

/** What a service is called in tokens, as in certificates: a SPIFFE ID. */
export function spiffeId(trustDomain: string, service: string): string {
  return `spiffe://${trustDomain}/${service}`;
}

/**
 * The identity of a service's process: signed tokens for each service that it calls, good for that
 * one alone and for five minutes. One token serves all calls of four minutes.
 */
export function serviceIdentity(
  { service, keyId, privateKey }: ServiceKey,
  trustDomain: string,
): ClientIdentity {
  const self = spiffeId(trustDomain, service);
  const made = new Map<string, { readonly value: string | Promise<string>; untilMs: number }>();
  const sign = async (to: string): Promise<string> => {
    const token = await new SignJWT()
      .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid: keyId })
      .setIssuer(self)
      .setSubject(self)
      .setAudience(spiffeId(trustDomain, to))
      .setIssuedAt()
      .setExpirationTime(`${serviceTokenSeconds}s`)
      .sign(privateKey);
    return `Bearer ${token}`;
  };
  return (to) => {
    const kept = made.get(to);
    if (kept !== undefined && performance.now() < kept.untilMs) return kept.value;
    const untilMs = performance.now() + serviceTokenSeconds * 1_000 - renewBeforeMs;
    const signing = sign(to);
    made.set(to, { value: signing, untilMs });
    const keep = (value: string) => void made.set(to, { value, untilMs });
    signing.then(keep, () => made.delete(to));
    return signing;
  };
}

/** The identity of whom a token names: a person, or the sandbox. */
export function bearerIdentity(token: string): ClientIdentity {
  const authorization = `Bearer ${token}`;
  return () => authorization;
}
