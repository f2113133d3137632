import { Http2SessionManager } from "@connectrpc/connect-node";

/** An idle connection is given back after this. */
const idleTimeoutMs = 60_000;
/** A slow service is not buried under connections: one more in this time at most. */
const renewEveryMs = 2_000;
/** What still runs on a connection that was replaced has this long to end. */
const retiredMs = 60_000;

/** The connection to a service, which can be replaced while calls run on it. */
export type Sessions = Pick<
  Http2SessionManager,
  "authority" | "request" | "notifyResponseByteRead"
> & {
  /** Lets new calls use a new connection: the present one may be dead without a word. */
  renew(): void;
  abort(): void;
};

/** Connects on the first call. */
export function renewableSessions(url: string): Sessions {
  const open = () => new Http2SessionManager(url, { idleConnectionTimeoutMs: idleTimeoutMs });
  let current = open();
  let renewedAt = 0;
  const retired = new Set<Http2SessionManager>();
  return {
    authority: current.authority,
    request: (method, path, headers, options) => current.request(method, path, headers, options),
    notifyResponseByteRead: (stream) => {
      for (const sessions of [current, ...retired]) sessions.notifyResponseByteRead(stream);
    },
    renew: () => {
      const now = performance.now();
      if (renewedAt !== 0 && now - renewedAt < renewEveryMs) return;
      renewedAt = now;
      const old = current;
      current = open();
      retired.add(old);
      setTimeout(() => {
        retired.delete(old);
        old.abort();
      }, retiredMs).unref();
    },
    abort: () => {
      for (const sessions of [current, ...retired]) sessions.abort();
    },
  };
}
