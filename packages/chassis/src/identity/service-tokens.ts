import { SignJWT } from "jose";
import type { ServiceKey } from "./keys.ts";

/** Returns the `authorization` header for a call to the service with this name. */
export type ClientIdentity = (to: string) => string | Promise<string>;

/** The lifetime of a service's token in seconds. */
export const serviceTokenSeconds = 300;
/** A token is replaced this long before it expires. */
const renewBeforeMs = 60_000;

/** Returns the name of a service in tokens and certificates, which is a SPIFFE ID. */
export function spiffeId(trustDomain: string, service: string): string {
  return `spiffe://${trustDomain}/${service}`;
}

/**
 * Creates the identity of a service's process. It signs tokens that are valid for one called
 * service and for five minutes. Each token is used for four minutes.
 */
export function serviceIdentity(
  { service, keyId, privateKey }: ServiceKey,
  trustDomain: string,
): ClientIdentity {
  const self = spiffeId(trustDomain, service);
  const tokens = new Map<string, { readonly value: string | Promise<string>; untilMs: number }>();
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
    const kept = tokens.get(to);
    if (kept !== undefined && performance.now() < kept.untilMs) return kept.value;
    const untilMs = performance.now() + serviceTokenSeconds * 1_000 - renewBeforeMs;
    const signing = sign(to);
    tokens.set(to, { value: signing, untilMs });
    const keep = (value: string) => void tokens.set(to, { value, untilMs });
    signing.then(keep, () => tokens.delete(to));
    return signing;
  };
}

/** Creates the identity of the owner of a token: a person, or the sandbox. */
export function bearerIdentity(token: string): ClientIdentity {
  const authorization = `Bearer ${token}`;
  return () => authorization;
}
