import { buildConnector } from "undici";
import type { ClientTls } from "../../identity/certificates.ts";
import type { Address } from "./addresses.ts";

/** Makes connections to one address, each to be there within a time in milliseconds. */
export type Connecting = (timeoutMs: number) => buildConnector.connector;

/** The options of mutual TLS for a connection that is made now. */
export type Securing = () => ClientTls;

/**
 * How connections to an address are made. With mutual TLS each shows the certificate of now, and
 * takes up no session of before: that one would be of the certificate of before.
 */
export function connectingTo({ lookup }: Address, securing: Securing | undefined): Connecting {
  return (timeout) => {
    const common = { timeout, allowH2: false, ...(lookup && { lookup }) };
    if (securing === undefined) return buildConnector(common);
    return (options, callback) =>
      buildConnector({ ...common, ...securing(), maxCachedSessions: 0 })(options, callback);
  };
}
