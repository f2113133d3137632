import { lookup } from "node:dns/promises";
import type { Log } from "@disburse/chassis/log.ts";
import { Agent, type Dispatcher, errors } from "undici";
import {
  type ConnectorOptions,
  createConnector,
  type Resolve,
  resolvePublic,
} from "./connector.ts";
import type { AddressRules } from "./rules/address.ts";
import type { AttemptError, Outcome } from "./rules/outcome.ts";
import { urlProblem } from "./rules/url.ts";

/** One webhook on its way. */
export type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Where it is less than an attempt may take. */
  readonly timeoutMs?: number;
};

/** Makes one attempt; an attempt that fails is an outcome, not an error. */
export type Post = (request: PostRequest) => Promise<Outcome>;

/** Posts webhooks until it is closed. */
export type Sender = { readonly post: Post; close(): Promise<void> };

/** An attempt in all, the answer's body included (webhooks: limits). */
export const attemptTimeoutMs = 15_000;
/** Reading more would let a receiver keep us busy. */
const readBytesMax = 16 * 1_024;
/** What is kept of an answer for the attempt's log. */
const keptBytesMax = 1_024;
/** Head of an answer; Node's own servers send no more. */
const headBytesMax = 16 * 1_024;
/** Receivers close idle connections after 5 s and more; reusing one that is being closed fails. */
const keepAliveMs = 2_000;

const fixedHeaders = {
  "content-type": "application/json",
  "accept-encoding": "identity",
  "user-agent": "Disburse-Webhooks/1",
};

/** What a sender may reach, and how long it waits. */
export type SenderOptions = Omit<ConnectorOptions, "resolve"> & {
  readonly resolve?: Resolve;
  readonly log: Log;
  readonly timeoutMs?: number;
};

/** The machine's own look-up, which knows `localhost`: for the sandbox. */
const resolveLocally: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Posts webhooks without redirects, bounded in time and size, to allowed addresses only. */
export function createSender(options: SenderOptions): Sender {
  const { resolve = options.policy === "public" ? resolvePublic : resolveLocally } = options;
  const targetOf = createTargets(options);
  const timeoutMs = options.timeoutMs ?? attemptTimeoutMs;
  const agent = new Agent({
    connect: createConnector({ ...options, resolve }),
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: headBytesMax,
    allowH2: false,
  });
  const post: Post = async ({ url, headers, body, timeoutMs: asked = timeoutMs }) => {
    // Checked again, since a URL may be older than a rule or a setting.
    const target = targetOf(url);
    if (target === undefined) return { kind: "failed", error: "address_refused" };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), Math.min(asked, timeoutMs));
    try {
      const answer = await agent.request({
        ...target,
        method: "POST",
        headers: { ...fixedHeaders, ...headers },
        body,
        signal: late.signal,
      });
      const text = await readSome(answer.body);
      return { kind: "answered", statusCode: answer.statusCode, body: text };
    } catch (error) {
      const kind = late.signal.aborted ? "timeout" : attemptError(error);
      if (kind === "connection_failed") options.log.warn({ code: codeOf(error) }, "attempt failed");
      return { kind: "failed", error: kind };
    } finally {
      clearTimeout(timer);
    }
  };
  return { post, close: () => agent.destroy() };
}

/** The beginning of an answer's body; the status alone acknowledges, so it may break off. */
async function readSome(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= readBytesMax) break;
    }
  } catch {
    // What came before the break is all there is to keep.
  }
  const kept = Buffer.concat(chunks).subarray(0, keptBytesMax);
  return new TextDecoder().decode(kept, { stream: true });
}

const namedErrors: Readonly<Record<string, AttemptError>> = {
  ADDRESS_REFUSED: "address_refused",
  DNS_FAILED: "dns_failed",
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  // undici asserts that a status is 100 or more: `HTTP/1.1 000` is none.
  ERR_ASSERTION: "invalid_answer",
  ETIMEDOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "invalid_answer",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "invalid_answer",
  UND_ERR_SOCKET: "connection_reset",
};

/** Node's TLS errors and OpenSSL's certificate errors come in families. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_)/;

function attemptError(error: unknown): AttemptError {
  const code = codeOf(error);
  const named = namedErrors[code];
  if (named !== undefined) return named;
  if (tlsCode.test(code)) return "tls_failed";
  return error instanceof errors.HTTPParserError ? "invalid_answer" : "connection_failed";
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return String(code);
}

/** A URL in the parts that a request is made of. */
type Target = { readonly origin: string; readonly path: string };

/** Some 100 KiB; then the cache is cleared. */
const targetsMax = 1_000;

/** Parses URLs, and caches them; `undefined` where the rules refuse one by its text. */
export function createTargets(rules: AddressRules): (url: string) => Target | undefined {
  const known = new Map<string, Target | undefined>();
  return (url) => {
    if (known.has(url)) return known.get(url);
    if (known.size === targetsMax) known.clear();
    const target = readTarget(url, rules);
    known.set(url, target);
    return target;
  };
}

function readTarget(url: string, rules: AddressRules): Target | undefined {
  if (urlProblem(url, rules) !== undefined) return undefined;
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}
