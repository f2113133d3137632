import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Http2ServerRequest, type ServerHttp2Session } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { serviceOfCertificate, type Tls, tlsVersion } from "../identity/certificates.ts";

/** Maps connections to the services that their certificates name. */
export type Peers = ReturnType<typeof createPeers>;

/**
 * Stores the service that a connection's certificate names, also for the HTTP/2 session on that
 * connection.
 */
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

export type ListenerOptions = {
  /** Absent if connections are not encrypted. */
  readonly tls: Tls | undefined;
  /** The time limit of the handshake. Then the connection is closed. */
  readonly handshakeMs: number;
  /** Called with each connection before its handshake. */
  readonly opened: (socket: Socket) => void;
  /** Called with each usable connection and the service that its certificate names. */
  readonly accepted: (socket: Socket, service: string | undefined) => void;
  /** Called for each connection that fails. */
  readonly refused: (reason: Refused) => void;
};

/**
 * `handshake`: the handshake failed. `certificate`: the certificate names no service of the trust
 * domain.
 */
export type Refused = "handshake" | "certificate";

/**
 * Creates a listener for plain connections or mutual TLS. With TLS, a caller needs a certificate
 * from a trusted authority for a service of the trust domain. The certificate is optional if
 * persons may connect. A changed certificate is used for new connections.
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
  // Must run before Node's own listener, which takes the TLS context for the connection's
  // handshake.
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
