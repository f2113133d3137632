import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { buildConnector } from "undici";
import type { Outcome } from "./rules/outcome.ts";
import type { Target } from "./targets.ts";

/** The parts of one webhook request, and its time limit. */
export type ExchangeRequest = {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
};

/** Sends one request and returns the response. Rejects if no response arrives. */
export type Exchange = (
  request: ExchangeRequest,
) => Promise<Extract<Outcome, { kind: "answered" }>>;

/** Thrown if a reused connection is closed or reset before the first byte of the response. */
export class StaleConnectionError extends Error {
  override name = "StaleConnectionError";
}

/**
 * Thrown if the receiver switches protocols or sends an invalid status. The code is named like
 * those of the HTTP parser.
 */
class InvalidAnswerError extends Error {
  override name = "InvalidAnswerError";
  readonly code = "HPE_INVALID_ANSWER";
}

/**
 * Maximum bytes that are read of a response. Without a maximum, a receiver could keep the sender
 * busy.
 */
const readBytesMax = 16 * 1_024;
/** Maximum bytes of a response that the log of the attempt keeps. */
const keptBytesMax = 1_024;
/** Maximum size of a response's head. Node's own servers don't send more. */
const headBytesMax = 16 * 1_024;
/**
 * Idle connections are closed after this time. Receivers close them after 5 s or more, and a
 * request on a closing connection fails.
 */
const keepAliveMs = 2_000;

const fixedHeaders = {
  "content-type": "application/json",
  "accept-encoding": "identity",
  "user-agent": "Disburse-Webhooks/1",
};

/** Error codes for a connection that the receiver closed or reset. */
const closedCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Opens connections, either kept alive or for a single request. Uses Node's HTTP client instead of
 * undici. Node's client skips 1xx responses except 101, as RFC 9110 (section 15.2) requires, but
 * undici resets the connection on 100.
 */
export function openConnections(
  connector: buildConnector.connector,
  { keepAlive }: { readonly keepAlive: boolean },
): { readonly exchange: Exchange; close(): void } {
  const options = { keepAlive, timeout: keepAliveMs };
  const http = new HttpAgent(options);
  const https = new HttpsAgent(options);
  const connectBy =
    (protocol: string): HttpAgent["createConnection"] =>
    ({ host, port }, done) => {
      const target = { protocol, hostname: host ?? "", port: String(port) };
      connector(target, done as buildConnector.Callback);
      return undefined;
    };
  http.createConnection = connectBy("http:");
  https.createConnection = connectBy("https:");
  return {
    exchange: (request) =>
      request.target.protocol === "https:"
        ? exchange(requestHttps, https, request)
        : exchange(requestHttp, http, request),
    close: () => {
      http.destroy();
      https.destroy();
    },
  };
}

function exchange(
  start: typeof requestHttp,
  agent: HttpAgent,
  { target, headers, body: sent, signal }: ExchangeRequest,
): ReturnType<Exchange> {
  return new Promise((resolve, reject) => {
    const call = start({
      ...target,
      method: "POST",
      headers: { ...fixedHeaders, ...headers, "content-length": sent.length },
      maxHeaderSize: headBytesMax,
      agent,
      signal,
    });
    let [hasData, hasStatus] = [false, false];
    call.on("socket", (socket) => {
      if (!call.reusedSocket) return;
      socket.once("data", () => {
        hasData = true;
      });
    });
    call.on("error", (error: NodeJS.ErrnoException) => {
      if (hasStatus) return;
      const isStale = call.reusedSocket && !hasData && closedCodes.has(error.code);
      reject(isStale ? new StaleConnectionError("stale", { cause: error }) : error);
    });
    call.on("response", (response) => {
      const { statusCode = 0 } = response;
      // Node accepts any three digits as a status. RFC 9110 allows no status below 100.
      if (statusCode < 100) {
        reject(new InvalidAnswerError("the response has no valid HTTP status"));
        response.destroy();
        return;
      }
      hasStatus = true;
      readSome(response).then(
        (body) => resolve({ kind: "answered", statusCode, body }),
        (error: Error) => reject(error),
      );
    });
    call.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new InvalidAnswerError("the response asks to switch protocols"));
    });
    call.end(sent);
  });
}

/**
 * Reads the start of a response's body. An incomplete body is no error, because the status alone
 * acknowledges the delivery.
 */
async function readSome(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= readBytesMax) break;
    }
  } catch {
    // The body broke off. The part that arrived before is kept.
  }
  const kept = Buffer.concat(chunks).subarray(0, keptBytesMax);
  return new TextDecoder().decode(kept, { stream: true });
}
