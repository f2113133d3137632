import type { IncomingMessage } from "node:http";
import type { BlockList } from "node:net";
import type { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import type { Log } from "@disburse/chassis/log.ts";
import { Actor_Kind, MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { ErrorCode } from "@disburse/kernel/errors.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import {
  type Answer,
  fingerprintOf,
  type IdempotencyScope,
  idempotencyKey,
  operationIdOf,
} from "../idempotency/rules/idempotency.ts";
import { begin, end, type IdempotencyStore } from "../idempotency/store.ts";
import type { KeyCache } from "../keys/cache.ts";
import { admit, bearerToken, type Caller, type Mode, readKey } from "../keys/rules/api-key.ts";
import { callerAddress } from "../keys/rules/source-address.ts";
import { present } from "../openapi/fields.ts";
import { type Clients, type Operation, takesBody } from "../openapi/operation.ts";
import { queryRequest, readQuery } from "../openapi/query.ts";
import { dataAnswer, failureAnswer, fileAnswer, type PageAnswer, refusalAnswer } from "./answer.ts";
import type { RouterContext } from "./observe.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { headerValues, isPlainJson, readJsonBody } from "./rules/request.ts";

/** What every operation is served with. */
export type OperationDeps = {
  readonly clients: Clients;
  readonly keys: KeyCache;
  readonly mode: Mode;
  readonly pepper: Uint8Array;
  /** Networks of our own proxies. */
  readonly proxies: BlockList;
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly log: Log;
};

/** Says on a replayed answer that nothing was done again. */
const replayedHeader = { "Idempotent-Replayed": "true" };

/** An operation that is about to be run. */
type Run = {
  readonly operation: Operation;
  readonly ctx: RouterContext;
  readonly caller: Caller;
  readonly body: JsonObject;
};

/**
 * Serves one operation: authenticate, limit the rate, check the scope, read the body, replay or
 * run.
 */
export function serveOperation(operation: Operation, deps: OperationDeps) {
  return async (ctx: RouterContext): Promise<PageAnswer> => {
    const caller = await authenticate(ctx.req, deps);
    if (isRefused(caller)) return refusalAnswer(caller);
    ctx.state.caller = caller;
    const { admitted, headers } = deps.rateLimiter.take(caller.keyId);
    ctx.set(headers);
    if (!admitted) return refusalAnswer(refused("RATE_LIMITED"));
    if (!caller.scopes.has(operation.scope)) return refusalAnswer(refused("ACCESS_FORBIDDEN"));
    const run: Run = { operation, ctx, caller, body: {} };
    if (!takesBody(operation.method)) return answerOf(run, deps, randomOperationId());
    const body = await readBody(ctx.req, operation.body?.optional ?? operation.body === undefined);
    if (isRefused(body)) return refusalAnswer(body);
    return runOnce({ ...run, body }, deps);
  };
}

/** Whose request it is, by its API key; a key of wrong form costs no database read. */
async function authenticate(
  { rawHeaders, socket }: IncomingMessage,
  { keys, mode, pepper, proxies, clock }: OperationDeps,
): Promise<Caller | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN">> {
  const token = bearerToken(headerValues(rawHeaders, "authorization"));
  const presented = token === undefined ? undefined : readKey(token);
  if (presented === undefined || presented.mode !== mode) return refused("UNAUTHENTICATED");
  const forwarded = headerValues(rawHeaders, "x-forwarded-for").join(",");
  const peer = socket.remoteAddress ?? "";
  const address = callerAddress(peer, forwarded === "" ? undefined : forwarded, proxies);
  return admit(await keys.get(presented.id), presented, {
    now: clock.now(),
    mode,
    address,
    pepper,
  });
}

/** Runs a change at most once to its effect where the caller named it by an idempotency key. */
async function runOnce(run: Run, deps: OperationDeps): Promise<PageAnswer> {
  const { operation, ctx, caller, body } = run;
  const key = idempotencyKey(headerValues(ctx.req.rawHeaders, "idempotency-key"));
  if (isRefused(key)) return refusalAnswer(key);
  const isReadOnly = operation.isReadOnly?.(new URLSearchParams(ctx.querystring)) ?? false;
  if (key === undefined || isReadOnly) return answerOf(run, deps, randomOperationId());
  const { merchantId } = caller;
  const scope: IdempotencyScope = { merchantId, method: ctx.method, path: ctx.path, key };
  const fingerprint = fingerprintOf(body);
  const begun = await begin(deps.idempotency, scope, fingerprint);
  if (isRefused(begun)) return refusalAnswer(begun);
  if ("replay" in begun) {
    const { status, headers, body: text } = begun.replay;
    return { status, headers: { ...headers, ...replayedHeader }, body: text };
  }
  const work = answerOf(run, deps, operationIdOf(scope, fingerprint));
  // Only a GET answers with a file.
  const answer = (await work.catch((error) => failureAnswer(error, deps.log))) as Answer;
  try {
    await end(deps.idempotency, begun.claim, answer);
  } catch (error) {
    // The effect is done and its answer true: the next try runs under the same operation id.
    deps.log.warn({ err: error }, "idempotency key could not be settled");
  }
  return answer;
}

async function answerOf(
  { operation, ctx, caller, body }: Run,
  { clients }: OperationDeps,
  operationId: string,
): Promise<PageAnswer> {
  const { data, query: shape = {} } = operation;
  const query = readQuery(new URLSearchParams(ctx.querystring), shape);
  if (isRefused(query)) return refusalAnswer(query);
  const request = { ...queryRequest(shape, query), ...ctx.params, merchantId: caller.merchantId };
  const actor = { kind: Actor_Kind.API_KEY, id: caller.keyId };
  const change = { ...request, mutation: create(MutationSchema, { operationId, actor }) };
  const call = { request, change, query, form: operation.body?.form, body };
  const answered = await operation.answer(call, clients);
  if (isRefused(answered)) return refusalAnswer(answered as Refused<ErrorCode>);
  if ("mediaType" in data) return fileAnswer(data, answered as Readable);
  return dataAnswer(data.write(present(answered)));
}

function randomOperationId(): string {
  return `op_${crypto.randomUUID()}`;
}

/** The largest form is a tenth of it (decisions §2). */
const bodyMax = 64 * 1024;
/** A body that is too large is drained up to here, so that a plain client gets the answer. */
const drainMax = 1024 * 1024;

/** The JSON object of a request's body; an empty one counts as `{}` where it may be left out. */
async function readBody(
  request: IncomingMessage,
  isOptional: boolean,
): Promise<JsonObject | Refused<ErrorCode>> {
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  if (hasBody(request) && !isPlainJson(type, encoding)) return refused("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(request);
  if (isRefused(bytes)) return bytes;
  return bytes.length === 0 && isOptional ? {} : readJsonBody(bytes);
}

/** A request's body; the bytes past the limit are not kept. */
async function readBytes(
  request: IncomingMessage,
): Promise<Buffer | Refused<"PAYLOAD_TOO_LARGE" | "REQUEST_TIMEOUT">> {
  if (Number(request.headers["content-length"] ?? 0) > drainMax)
    return refused("PAYLOAD_TOO_LARGE");
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > drainMax) break;
      if (size <= bodyMax) kept.push(chunk as Buffer);
    }
  } catch (error) {
    // The client disconnected, or the server has timed the request out and answered.
    if (request.errored !== null) return refused("REQUEST_TIMEOUT");
    throw error;
  }
  return size > bodyMax ? refused("PAYLOAD_TOO_LARGE") : Buffer.concat(kept);
}

function hasBody(request: IncomingMessage): boolean {
  const { "transfer-encoding": coding, "content-length": length } = request.headers;
  return coding !== undefined || Number(length ?? 0) > 0;
}
