import type { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import type { Log } from "@disburse/chassis/log.ts";
import {
  Actor_Kind,
  type Mutation,
  MutationSchema,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Answer } from "../domain/answer.ts";
import type { ErrorCode } from "../domain/errors.ts";
import {
  fingerprintOf,
  type IdempotencyScope,
  idempotencyKey,
  operationIdOf,
} from "../domain/idempotency.ts";
import { type JsonObject, readJsonBody } from "../domain/json-body.ts";
import type { Caller } from "../domain/key-access.ts";
import { isPlainJson } from "../domain/media-type.ts";
import { headerValues } from "../domain/request-head.ts";
import type { IdempotencyStore } from "../idempotency-store.ts";
import { takesBody } from "../reference/endpoint.ts";
import type { Operation } from "../routes/operation.ts";
import { dataAnswer, fileAnswer, refusalAnswer } from "./answer.ts";
import type { Authenticate } from "./authenticate.ts";
import { hasBody, readBytes } from "./body-bytes.ts";
import type { PageAnswer } from "./content.ts";
import { failureAnswer } from "./failure.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { RouterContext } from "./state.ts";

export type OperationDeps = {
  readonly authenticate: Authenticate;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly log: Log;
};

/** Says on a replayed answer that nothing was done again. */
const replayedHeader = { "Idempotent-Replayed": "true" };

/**
 * Serves one operation: who asks, how often, may they, what do they say, was it said before, do it.
 */
export function serveOperation(operation: Operation, deps: OperationDeps) {
  return async (ctx: RouterContext): Promise<PageAnswer> => {
    const caller = await deps.authenticate(ctx.req);
    if (isRefused(caller)) return refusalAnswer(caller);
    ctx.state.caller = caller;
    const { admitted, headers } = deps.rateLimiter.take(caller.keyId);
    ctx.set(headers);
    if (!admitted) return refusalAnswer(refused("RATE_LIMITED"));
    if (!caller.scopes.has(operation.scope)) return refusalAnswer(refused("ACCESS_FORBIDDEN"));
    if ("mediaType" in operation.data) {
      const bytes = await ask(operation, ctx, caller, {}, randomOperationId());
      if (isRefused(bytes)) return refusalAnswer(bytes as Refused<ErrorCode>);
      return fileAnswer(operation.data, bytes as Readable);
    }
    if (!takesBody(operation.method)) return run(operation, ctx, caller, {}, randomOperationId());
    const body = await readBody(operation, ctx);
    if (isRefused(body)) return refusalAnswer(body);
    return runOnce(operation, ctx, caller, body, deps);
  };
}

async function readBody(
  operation: Operation,
  { req }: RouterContext,
): Promise<JsonObject | Refused<ErrorCode>> {
  const { "content-type": type, "content-encoding": encoding } = req.headers;
  if (hasBody(req) && !isPlainJson(type, encoding)) return refused("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(req);
  if (isRefused(bytes)) return bytes;
  if (bytes.length === 0 && operation.body?.optional === true) return {};
  return readJsonBody(bytes);
}

/** Runs a change at most once to its effect where the caller named it by an idempotency key. */
async function runOnce(
  operation: Operation,
  ctx: RouterContext,
  caller: Caller,
  body: JsonObject,
  { idempotency, log }: OperationDeps,
): Promise<Answer> {
  const key = idempotencyKey(headerValues(ctx.req.rawHeaders, "idempotency-key"));
  if (isRefused(key)) return refusalAnswer(key);
  const hasEffect = operation.hasEffect?.(new URLSearchParams(ctx.querystring)) ?? true;
  if (key === undefined || !hasEffect) {
    return run(operation, ctx, caller, body, randomOperationId());
  }
  const { merchantId } = caller;
  const scope: IdempotencyScope = { merchantId, method: ctx.method, path: ctx.path, key };
  const fingerprint = fingerprintOf(body);
  const begun = await idempotency.begin(scope, fingerprint);
  if (isRefused(begun)) return refusalAnswer(begun);
  if ("replay" in begun) {
    const { status, headers, body: text } = begun.replay;
    return { status, headers: { ...headers, ...replayedHeader }, body: text };
  }
  const work = run(operation, ctx, caller, body, operationIdOf(scope, fingerprint));
  const answer = await work.catch((error: unknown) => failureAnswer(error, log));
  try {
    await idempotency.end(begun.claim, answer);
  } catch (error) {
    // The effect is done and its answer true: the next try runs under the same operation id.
    log.warn({ err: error }, "idempotency key could not be settled");
  }
  return answer;
}

async function run(
  operation: Operation,
  ctx: RouterContext,
  caller: Caller,
  body: JsonObject,
  operationId: string,
): Promise<Answer> {
  const data = await ask(operation, ctx, caller, body, operationId);
  return isRefused(data) ? refusalAnswer(data as Refused<ErrorCode>) : dataAnswer(data);
}

function ask(
  operation: Operation,
  ctx: RouterContext,
  caller: Caller,
  body: JsonObject,
  operationId: string,
): Promise<unknown | Refused<ErrorCode>> {
  return operation.answer({
    merchantId: caller.merchantId,
    mutation: mutationOf(caller, operationId),
    params: ctx.params,
    query: new URLSearchParams(ctx.querystring),
    body,
  });
}

function mutationOf({ keyId }: Caller, operationId: string): Mutation {
  const actor = { kind: Actor_Kind.API_KEY, id: keyId };
  return create(MutationSchema, { operationId, actor });
}

function randomOperationId(): string {
  return `op_${crypto.randomUUID()}`;
}
