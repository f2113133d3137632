import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Http2ServerRequest, type ServerHttp2Session } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { serviceOfCertificate, type Tls, tlsVersion } from "../identity/certificates.ts";

/** Which service a connection is of, by its certificate. */
export type Peers = ReturnType<typeof createPeers>;

/** Notes of each connection, and of the HTTP/2 session on it, the service of its certificate. */
export function createPeers() {
  const peers = new WeakMap<object, string>();
  return {
    note: (of: Socket | ServerHttp2Session, service: string | undefined): void => {
      if (service !== undefined) peers.set(of, service);
    },
    ofSocket: (socket: Socket) => peers.get(socket),
    ofRequest: (request: IncomingMessage | Http2ServerRequest): string | undefined => {
      if (!(request instanceof Http2ServerRequest)) return peers.get(request.socket);
      const { session } = request.stream;
      return session === undefined ? undefined : peers.get(session);
    },
  };
}

/** How connections are accepted. */
export type ListenerOptions = {
  /** Absent where they are not encrypted. */
  readonly tls: Tls | undefined;
  /** A connection without its handshake in this time is closed. */
  readonly handshakeMs: number;
  /** Called with each connection as it comes, before its handshake. */
  readonly opened: (socket: Socket) => void;
  /** Called with each connection that may be used, and the service of its certificate. */
  readonly accepted: (socket: Socket, service: string | undefined) => void;
  /** Called for each connection of which there will be none that may be used. */
  readonly refused: (reason: Refused) => void;
};

/** No TLS came about, or its certificate is of no service of the trust domain. */
export type Refused = "handshake" | "certificate";

/**
 * A listener for connections, plain or of mutual TLS. There a caller shows a certificate of a
 * service of the trust domain, by an authority that is believed; where persons are admitted, it may
 * show none. A certificate that has changed is shown to each connection from then on.
 */
export function createListener(options: ListenerOptions): Server {
  const { tls, handshakeMs, opened, accepted, refused } = options;
  if (tls === undefined) {
    return createServer({ noDelay: true }, (socket) => {
      opened(socket);
      accepted(socket, undefined);
    });
  }
  const { material, trustDomain, admitsPersons } = tls;
  const secured = {
    requestCert: true,
    rejectUnauthorized: !admitsPersons,
    minVersion: tlsVersion,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: handshakeMs,
    noDelay: true,
  } as const;
  let shown = material();
  const listener = createTlsServer({ ...secured, ...shown });
  // Before Node's own listener, which takes the context for the connection's handshake.
  listener.prependListener("connection", () => {
    if (material() === shown) return;
    shown = material();
    listener.setSecureContext({ ...shown, minVersion: tlsVersion });
  });
  listener.on("connection", opened);
  listener.on("tlsClientError", (_error, socket) => {
    refused("handshake");
    socket.destroy();
  });
  listener.on("secureConnection", (socket: TLSSocket) => {
    const certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
    const service = certificate && serviceOfCertificate(certificate, trustDomain);
    const isNameless = certificate === undefined && admitsPersons;
    if (isNameless || (socket.authorized && service !== undefined)) {
      accepted(socket, service);
      return;
    }
    refused("certificate");
    socket.destroy();
  });
  return listener;
}
