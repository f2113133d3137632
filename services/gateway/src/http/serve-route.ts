import type { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import type { Log } from "@disburse/chassis/log.ts";
import { Actor_Kind, MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { normalBody } from "@disburse/forms/checks/normal.ts";
import { unknownFields } from "@disburse/forms/checks/read.ts";
import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import {
  invalidRequest,
  isRefused,
  type Refused,
  refused,
  refusedBecause,
} from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import {
  fingerprintOf,
  type IdempotencyScope,
  idempotencyKey,
} from "../idempotency/rules/idempotency.ts";
import type { IdempotencyStore } from "../idempotency/store.ts";
import type { KeyCache } from "../keys/cache.ts";
import { admit, bearerToken, type Caller, type KeyRecord, readKey } from "../keys/rules/api-key.ts";
import type { Mode, Scope } from "../keys/rules/key.ts";
import { present, withoutSecrets } from "../openapi/fields.ts";
import { queryRequest, readQuery } from "../openapi/query.ts";
import { refusalsOf } from "../openapi/responses.ts";
import {
  type Clients,
  dryRunType,
  type FileFormat,
  isWarned,
  type Route,
  takesBody,
} from "../openapi/route.ts";
import type { Sheet } from "../openapi/rules/sheet.ts";
import { withTextAmounts } from "../openapi/text-amounts.ts";
import type { MemberSessions } from "../sessions/members.ts";
import {
  dataAnswer,
  explained,
  failureAnswer,
  fileAnswer,
  type PageAnswer,
  refusalAnswer,
} from "./answer.ts";
import { type LinesBody, readBody, readLargeBody } from "./body.ts";
import type { RouterContext } from "./observe.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { authorizationHint } from "./rules/hints.ts";
import {
  dryRun,
  errorWanted,
  headerValues,
  type Preferences,
  readPreferences,
} from "./rules/request.ts";
import { type OperationName, type RunAnswer, runBound, runClaimed } from "./run-once.ts";
import type { Shares } from "./shares.ts";
import type { Origin, UnauthenticatedClients } from "./unauthenticated-clients.ts";
import type { Uploads } from "./uploads.ts";

export type RouteDeps = {
  readonly clients: Clients;
  readonly keys: KeyCache;
  /** Authenticates members who use the console. */
  readonly members: MemberSessions;
  readonly mode: Mode;
  /** Returns true if a key's text belongs to a record (`createKeyMatching`). */
  readonly matches: (record: KeyRecord, text: string) => boolean;
  /** Called with each valid key and its text. */
  readonly rehash: (record: KeyRecord, text: string) => void;
  readonly clock: Clock;
  /**
   * Maximum age of a member's sign-in for deciding on approvals and for giving access to others.
   */
  readonly approvalSignInMs: number;
  readonly unauthenticated: UnauthenticatedClients;
  readonly rateLimiter: RateLimiter;
  /** Has one bucket per merchant, which all its keys and members share. */
  readonly merchantLimiter: RateLimiter;
  readonly requests: Shares;
  readonly files: Shares;
  readonly uploads: Uploads;
  readonly idempotency: IdempotencyStore;
  /** Names of the decimal fields in all responses (`decimalNames`). */
  readonly decimals: ReadonlySet<string>;
  readonly log: Log;
};

/** In the sandbox, this header lists the body fields that were ignored. Most are typing errors. */
const ignoredHeader = "Disburse-Ignored-Fields";

const actorKinds = { api_key: Actor_Kind.API_KEY, member: Actor_Kind.MEMBER } as const;

type Run = {
  readonly route: Route;
  readonly ctx: RouterContext;
  readonly caller: Caller;
  readonly body: JsonObject;
  readonly sheet: Sheet | undefined;
  /** Paths of the body's unknown fields, at most 20. */
  readonly unknown: readonly string[];
};

/**
 * Serves one route. Authenticates the caller, checks the rate limit and the scope, and reads
 * the body. Then replays a stored response or runs the route.
 */
export function serveRoute(route: Route, deps: RouteDeps) {
  return async (ctx: RouterContext): Promise<PageAnswer> => {
    const preferences = readPreferences(ctx.req.headers);
    const answer = await answerTo(route, ctx, deps, preferences);
    const isText = !isRefused(preferences) && preferences.textAmounts;
    if (!isText || answer.status !== 200 || typeof answer.body !== "string") return answer;
    return { ...answer, body: withTextAmounts(answer.body, deps.decimals) };
  };
}

/** Returns the response in the form that is stored for replays, in which amounts are numbers. */
async function answerTo(
  route: Route,
  ctx: RouterContext,
  deps: RouteDeps,
  preferences: Preferences | Refused<"INVALID_REQUEST">,
): Promise<PageAnswer> {
  const caller = await authenticate(ctx, deps);
  if (isRefused(caller)) return refusalAnswer(caller);
  ctx.state.caller = caller;
  // With this header, a page detects that the session now belongs to another merchant.
  if (caller.actor.kind === "member") ctx.set("Disburse-Merchant", caller.merchantId);
  const { admitted, headers } = deps.rateLimiter.take(caller.actor.id);
  ctx.set(headers);
  if (!admitted) return refusalAnswer(refused("RATE_LIMITED"), headers);
  const codes = deps.mode === "sandbox" ? refusalsOf(route) : undefined;
  const wanted = codes && errorWanted(ctx.req.headers, codes);
  if (wanted !== undefined) return refusalAnswer(wanted);
  const ofMerchant = deps.merchantLimiter.take(caller.merchantId);
  if (!ofMerchant.admitted) {
    const tooMany = "Too many requests with all API keys of this merchant.";
    return refusalAnswer(refused("RATE_LIMITED", tooMany), ofMerchant.headers);
  }
  const tooManyOpen = deps.requests.begin(caller, ctx);
  if (tooManyOpen !== undefined) return refusalAnswer(tooManyOpen);
  if (!caller.scopes.has(route.scope)) {
    return refusalAnswer(refusedBecause("ACCESS_FORBIDDEN", "scope_missing"));
  }
  const needsSignIn = route.needsFreshSignIn || route.scope === "payout:approve";
  if (needsSignIn && isSignInTooOld(caller, deps)) {
    return refusalAnswer(refusedBecause("ACCESS_FORBIDDEN", "sign_in_too_old"));
  }
  const excess = "mediaType" in route.data ? deps.files.begin(caller, ctx) : undefined;
  if (excess !== undefined) return refusalAnswer(excess);
  if (isRefused(preferences)) return refusalAnswer(preferences);
  const { isDryRun } = preferences;
  // Carrying out a request that was meant as a dry run could pay.
  if (isDryRun && route.dryRun === undefined) {
    return refusalAnswer(invalidRequest([{ field: dryRun, problem: noDryRun }]));
  }
  const run: Run = { route, ctx, caller, body: {}, sheet: undefined, unknown: [] };
  if (!takesBody(route.method)) return (await answerOf(run, deps, randomOperation())).answer;
  const sent = await bodyOf(route, ctx, () => deps.uploads.begin(caller.merchantId, ctx));
  if (isRefused(sent)) return refusalAnswer(sent);
  const { body, sheet } = sent;
  const unknown = unknownFields(route.body?.form, body);
  const names = unknown.map(({ field }) => field);
  if (unknown.length > 0) {
    if (preferences.isStrict) return refusalAnswer(invalidRequest(unknown));
    if (deps.mode === "sandbox") ctx.set(ignoredHeader, names.join(", "));
  }
  const refusal = route.authorise?.({ caller, form: route.body?.form, body });
  if (refusal !== undefined) return refusalAnswer(refusal);
  const named = { ...run, sheet, unknown: names, body: normalBody(route.body?.form, body) };
  return isDryRun ? rehearsed(named, deps) : runNamed(named, deps);
}

const noDryRun = "is not supported by this operation, so nothing was done";

/** Serves a dry run. It neither reads nor stores an idempotency key. */
async function rehearsed(run: Run, deps: RouteDeps): Promise<PageAnswer> {
  const { dryRun: own } = run.route;
  if (own === undefined) throw new Error("the route has no dry run");
  const route = { ...run.route, ...own } as Route;
  const { answer } = await answerOf({ ...run, route }, deps, randomOperation());
  if (answer.status !== 200) return answer;
  return { ...answer, headers: { ...answer.headers, "Content-Type": dryRunType } };
}

/**
 * Returns true if a member's sign-in is too old. API keys do not sign in, so the check never fails
 * for them.
 */
function isSignInTooOld({ signedInAt }: Caller, { clock, approvalSignInMs }: RouteDeps) {
  return (
    signedInAt !== undefined && clock.now().getTime() - signedInAt.getTime() > approvalSignInMs
  );
}

async function bodyOf(
  { body }: Route,
  ctx: RouterContext,
  beginUpload: () => ReturnType<Uploads["begin"]>,
): Promise<LinesBody | Refused<ErrorCode>> {
  if (body?.large !== undefined) return readLargeBody(ctx, body.large, beginUpload);
  const read = await readBody(ctx, body?.optional ?? body === undefined);
  return isRefused(read) ? read : { body: read };
}

type CallerRefusal = Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN" | "RATE_LIMITED">;

/** Identifies the caller by its API key. A request without a key needs a member's session. */
async function authenticate(ctx: RouterContext, deps: RouteDeps): Promise<Caller | CallerRefusal> {
  const origin = deps.unauthenticated.originOf(ctx.req);
  const authorizations = headerValues(ctx.req.rawHeaders, "authorization");
  const session = authorizations.length === 0 ? deps.members.tokenOf(ctx.req) : undefined;
  if (session !== undefined) return callerOfSession(session, ctx, origin, deps);
  const isKeyHeader = ctx.req.headers["x-api-key"] !== undefined;
  const hint = authorizationHint(authorizations, isKeyHeader, deps.mode);
  return callerOfKey(bearerToken(authorizations), hint, origin, deps);
}

/** The message begins with the code's own. The hint is about the header, and not about the key. */
function unauthenticatedBecause(hint: string): Refused<"UNAUTHENTICATED"> {
  const { message } = errorTable.UNAUTHENTICATED;
  return refused("UNAUTHENTICATED", hint === "" ? undefined : `${message} ${hint}`);
}

/**
 * Sessions are read from the database each time. A request with an invalid session counts against
 * its sender.
 */
async function callerOfSession(
  token: string,
  { req }: RouterContext,
  origin: Origin,
  { members, unauthenticated }: RouteDeps,
): Promise<Caller | CallerRefusal> {
  const excess = unauthenticated.count(origin);
  if (excess !== undefined) return excess;
  const csrfTokens = headerValues(req.rawHeaders, "x-csrf-token");
  const caller = await members.callerOf(token, req.method ?? "", csrfTokens);
  if (!isRefused(caller)) unauthenticated.forgive(origin);
  return caller;
}

/**
 * A malformed key is refused without a database read. Every request with an invalid key counts
 * against its sender.
 */
async function callerOfKey(
  token: string | undefined,
  hint: string,
  origin: Origin,
  { keys, mode, matches, rehash, unauthenticated, clock }: RouteDeps,
): Promise<Caller | CallerRefusal> {
  const presented = token === undefined ? undefined : readKey(token);
  if (presented === undefined || presented.mode !== mode) {
    return unauthenticated.count(origin) ?? unauthenticatedBecause(hint);
  }
  const isKnown = keys.remembers(presented.id);
  const excess = isKnown ? undefined : unauthenticated.count(origin);
  if (excess !== undefined) return excess;
  const record = await keys.find(presented.id, origin.sender);
  if (isRefused(record)) return record;
  const { address } = origin;
  const caller = admit(record, presented, { now: clock.now(), mode, address, matches });
  if (isRefused(caller)) return (isKnown ? unauthenticated.count(origin) : undefined) ?? caller;
  if (!isKnown) unauthenticated.forgive(origin);
  if (record !== undefined) rehash(record, presented.text);
  return caller;
}

/** The deciding actor is part of the content, so another actor with the same idempotency key gets no replay. */
const decisionScopes: ReadonlySet<Scope> = new Set(["payout:approve", "payout:control"]);

/** Runs a change at most once for its idempotency key. */
async function runNamed(run: Run, deps: RouteDeps): Promise<PageAnswer> {
  const { route, ctx, caller, body } = run;
  const key = idempotencyKey(headerValues(ctx.req.rawHeaders, "idempotency-key"));
  if (isRefused(key)) return refusalAnswer(key);
  if (key === undefined || route.isReadOnly) {
    return (await answerOf(run, deps, randomOperation())).answer;
  }
  const { merchantId, actor } = caller;
  const scope: IdempotencyScope = {
    merchantId,
    method: ctx.method,
    path: ctx.path,
    key,
    ...(decisionScopes.has(route.scope) && { actor: actor.root }),
  };
  const once = route.isBoundByService ? runBound : runClaimed;
  const named = { scope, fingerprint: fingerprintOf(body) };
  return once(deps.idempotency, named, deps.log, (operationNamed) =>
    answerOf(run, deps, operationNamed),
  );
}

/** Returns the route's answer. A refusal says more where the request alone shows a mistake. */
async function answerOf(
  run: Run,
  deps: RouteDeps,
  operationNamed: OperationName,
): Promise<RunAnswer> {
  const answered = await answerOfService(run, deps, operationNamed).catch((error): RunAnswer => {
    return { answer: failureAnswer(error, deps.log) };
  });
  const { ctx, body, unknown } = run;
  const answer = explained(answered.answer, { params: ctx.params, body, unknown });
  return { ...answered, answer };
}

async function answerOfService(
  { route, ctx, caller, body, sheet }: Run,
  { clients }: RouteDeps,
  operationNamed: OperationName,
): Promise<RunAnswer> {
  const { data, query: shape = {} } = route;
  const query = readQuery(new URLSearchParams(ctx.querystring), shape);
  if (isRefused(query)) return { answer: refusalAnswer(query) };
  const request = { ...queryRequest(shape, query), ...ctx.params, merchantId: caller.merchantId };
  const call = {
    request,
    query,
    form: route.body?.form,
    body,
    sheet,
    scopes: caller.scopes,
    get fingerprint() {
      return fingerprintOf(body);
    },
    // A getter, because only changes need a mutation.
    get change() {
      const { kind, ...its } = caller.actor;
      const actor = { kind: actorKinds[kind], ...its };
      return { ...request, mutation: create(MutationSchema, { ...operationNamed, actor }) };
    },
  };
  const answered = await route.answer(call, clients);
  if (isRefused(answered)) return { answer: refusalAnswer(answered as Refused<ErrorCode>) };
  if ("mediaType" in data) {
    return { answer: fileAnswer(chosenFormat(data, ctx.query), answered as Readable) };
  }
  const { warned: value, warnings } = isWarned(answered)
    ? answered
    : { warned: answered, warnings: [] };
  await clients.actorNames.add(value);
  const written = data.write(present(value));
  const { shownOnce = [] } = data;
  if (shownOnce.length === 0) return { answer: dataAnswer(written, warnings) };
  const secrets = written as Readonly<Record<string, unknown>>;
  const kept = dataAnswer(withoutSecrets(secrets, shownOnce));
  // The secrets are empty if this is a repeat after a lost response. The service doesn't keep
  // secrets either.
  const isShown = shownOnce.every((name) => secrets[name] === "");
  return { answer: isShown ? kept : dataAnswer(written), kept };
}

/** Returns the format that the query requests. The default is the first format. */
function chosenFormat(data: FileFormat, { format }: RouterContext["query"]): FileFormat {
  return (typeof format === "string" ? data.formats?.[format] : undefined) ?? data;
}

function randomOperation(): OperationName {
  return { operationId: `op_${crypto.randomUUID()}` };
}
