import { lookup } from "node:dns/promises";
import type { Log } from "@disburse/chassis/log.ts";
import {
  type ConnectorOptions,
  createConnector,
  type Resolve,
  resolvePublic,
} from "./connector.ts";
import { type Exchange, openConnections, StaleConnectionError } from "./exchange.ts";
import type { AttemptError, Outcome } from "./rules/outcome.ts";
import { createTargets } from "./targets.ts";

export type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Time limit of the attempt, if it is shorter than the default. */
  readonly timeoutMs?: number;
};

/** Makes one attempt. If the attempt fails, this returns an outcome and doesn't throw. */
export type Post = (request: PostRequest) => Promise<Outcome>;

export type Sender = { readonly post: Post; close(): Promise<void> };

/** Maximum duration of an attempt, including the body of the response (webhooks: limits). */
export const attemptTimeoutMs = 15_000;

export type SenderOptions = Omit<ConnectorOptions, "resolve"> & {
  readonly resolve?: Resolve;
  readonly log: Log;
  readonly timeoutMs?: number;
};

/** Resolves names with the machine's own lookup, which knows `localhost`. For the sandbox only. */
const resolveLocally: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Creates a sender of webhooks. It follows no redirects, limits time and size, and connects only to
 * allowed addresses.
 */
export function createSender(options: SenderOptions): Sender {
  const { resolve = options.policy === "public" ? resolvePublic : resolveLocally } = options;
  const targetOf = createTargets(options);
  const timeoutMs = options.timeoutMs ?? attemptTimeoutMs;
  const connector = createConnector({ ...options, resolve });
  const kept = openConnections(connector, { keepAlive: true });
  const fresh = openConnections(connector, { keepAlive: false });
  /**
   * A receiver may close a connection just when it is reused. The request is then sent again, which
   * doesn't count as another attempt.
   */
  const exchange: Exchange = (request) =>
    kept.exchange(request).catch((error: unknown) => {
      if (error instanceof StaleConnectionError) return fresh.exchange(request);
      throw error;
    });
  const post: Post = async ({ url, headers, body, timeoutMs: requestedMs = timeoutMs }) => {
    // The URL is checked again, because a rule or a setting may have changed since its
    // registration.
    const target = targetOf(url);
    if (target === undefined) return { kind: "failed", error: "address_refused" };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), Math.min(requestedMs, timeoutMs));
    try {
      return await exchange({ target, headers, body, signal: late.signal });
    } catch (error) {
      const kind = late.signal.aborted ? "timeout" : attemptError(error);
      if (kind === "connection_failed")
        options.log.debug({ code: codeOf(error) }, "connection to a webhook endpoint failed");
      return { kind: "failed", error: kind };
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    post,
    close: async () => {
      kept.close();
      fresh.close();
    },
  };
}

const namedErrors: Readonly<Record<string, AttemptError>> = {
  ADDRESS_REFUSED: "address_refused",
  DNS_FAILED: "dns_failed",
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
};

/** Codes of TLS errors. The prefixes cover errors of Node and certificate errors of OpenSSL. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_)/;

function attemptError(error: unknown): AttemptError {
  const code = codeOf(error);
  const named = namedErrors[code];
  if (named !== undefined) return named;
  if (tlsCode.test(code)) return "tls_failed";
  return code.startsWith("HPE_") ? "invalid_answer" : "connection_failed";
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return String(code);
}
