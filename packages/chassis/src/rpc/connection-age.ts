import { constants, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/**
 * A client that connected before a replica was added finds it within this: its old connections end,
 * and the new ones spread over all replicas. Seldom enough that connecting costs nothing.
 */
const connectionAgeMs = 5 * 60_000;
/** Connections that were made together, as at a restart, do not end together. */
const jitterShare = 0.1;
/** A GOAWAY with this refuses no stream that is on its way already (RFC 9113, section 6.8). */
const anyStreamId = 2 ** 31 - 1;
/** More than a round trip: what a client sent before the GOAWAY reached it has arrived by then. */
const goawayLeadMs = 1_000;
/** A session ends after this even while a stream runs, such as a watch whose client stays. */
const lastStreamsMs = 10 * 60_000;

/** Which connections of a server are to end. */
export type ConnectionAge = {
  /** Ends an HTTP/2 session at its age: GOAWAY, running streams finish. */
  readonly limit: (session: ServerHttp2Session) => void;
  /** Whether an HTTP/1.1 connection has reached its age; it ends with its next answer. */
  readonly isOver: (socket: Socket) => boolean;
};

/** Ends an HTTP/2 session: GOAWAY, and what the client sent before it knew is served. */
export function endSession(session: ServerHttp2Session): void {
  session.goaway(constants.NGHTTP2_NO_ERROR, anyStreamId);
  const timer = setTimeout(() => session.close(), goawayLeadMs).unref();
  const last = setTimeout(() => session.destroy(), lastStreamsMs).unref();
  session.once("close", () => {
    clearTimeout(timer);
    clearTimeout(last);
  });
}

/** Ends connections after about `ageMs`, by default five minutes, so that new replicas get work. */
export function createConnectionAge(ageMs = connectionAgeMs): ConnectionAge {
  const drawn = () => ageMs * (1 + jitterShare * (2 * Math.random() - 1));
  const endsAt = new WeakMap<Socket, number>();
  return {
    limit: (session) => {
      const timer = setTimeout(() => endSession(session), drawn()).unref();
      session.once("close", () => clearTimeout(timer));
    },
    isOver: (socket) => {
      const now = performance.now();
      const end = endsAt.get(socket);
      if (end === undefined) endsAt.set(socket, now + drawn());
      return end !== undefined && now >= end;
    },
  };
}
