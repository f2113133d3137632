import { buildConnector } from "undici";
import type { ClientTls } from "../../identity/certificates.ts";
import type { Address } from "./addresses.ts";

/** Connects to one address within a time limit in milliseconds. */
export type Connecting = (timeoutMs: number) => buildConnector.connector;

/** Returns the current TLS options for a new connection. */
export type Securing = () => ClientTls;

/**
 * Creates the connections to an address. With mutual TLS, each connection uses the current
 * certificate. TLS sessions are never resumed, because a resumed session would belong to the
 * previous certificate.
 */
export function connectingTo({ lookup }: Address, securing: Securing | undefined): Connecting {
  return (timeout) => {
    const common = { timeout, allowH2: false, ...(lookup && { lookup }) };
    if (securing === undefined) return buildConnector(common);
    return (options, callback) =>
      buildConnector({ ...common, ...securing(), maxCachedSessions: 0 })(options, callback);
  };
}
