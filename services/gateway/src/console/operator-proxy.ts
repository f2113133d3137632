import { AsyncLocalStorage } from "node:async_hooks";
import {
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createConnectRouter,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { access } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import type { PageAnswer } from "../http/answer.ts";
import type { RouterContext } from "../http/observe.ts";
import { headerValues } from "../http/rules/request.ts";
import type { PublicRoute } from "../http/static.ts";
import { bearerToken } from "../keys/rules/api-key.ts";
import type { OperatorSessions } from "../sessions/operators.ts";
import { carriesCsrfToken, consolePath } from "../sessions/rules/session.ts";
import { type Place, placeOf, places, servicesOf } from "./served.ts";

/** `signal` cancels the call. `onHeader` receives the response headers. */
export type CallOptions = {
  readonly signal: AbortSignal;
  /** The default is the time limit of unary calls. */
  readonly timeoutMs?: number;
  readonly onHeader: (header: Headers) => void;
};

/**
 * Returns a function that calls a service's RPCs on behalf of the current request's sender. The
 * request of an upload is an iterable of messages.
 */
export type Forward = (
  place: Place,
  service: DescService,
) => (method: DescMethod, request: object, options: CallOptions) => Promise<object>;

export type OperatorProxyDeps = { readonly sessions: OperatorSessions; readonly forward: Forward };

/**
 * Maximum size of a request, and of each message of an upload, unless the contract of an
 * operators' RPC names a larger one.
 */
const requestBytesDefault = 1024 * 1024;

function requestBytesMax(method: DescMethod): number {
  const { roles, requestBytesMax: named } = getOption(method, access);
  return roles.length === 0 ? requestBytesDefault : Math.max(named, requestBytesDefault);
}

const rpcPath = `${consolePath}rpc`;
const isUpload = ({ methodKind }: DescMethod) => methodKind === "client_streaming";

/**
 * RPCs whose request is a stream of messages with a file. A browser sends it as one body over
 * HTTP/1.1. The service limits its size.
 */
const uploads = places.flatMap(servicesOf).flatMap(({ methods }) => methods.filter(isUpload));
const uploadPath = (service: string, method: string) => `${rpcPath}/${service}/${method}`;
export const uploadPaths: ReadonlySet<string> = new Set(
  uploads.map(({ parent, name }) => uploadPath(parent.typeName, name)),
);
/** 100 MB take this long over a slow line, as for the services' own streams. */
export const uploadMs = 10 * 60_000;

type Rpc = { readonly service?: string; readonly method?: string };

const persons = new AsyncLocalStorage<string>();

/** The identity of forwarded calls is the person who sent the request. */
export const personIdentity: ClientIdentity = () => {
  const token = persons.getStore();
  if (token === undefined)
    throw new Error("a call of the operator API proxy has no authenticated person");
  return `Bearer ${token}`;
};

/**
 * Serves the unary RPCs and uploads of all services to operators over the Connect protocol. Each
 * call is sent with the operator's own access token, and the called service checks permissions.
 */
export function operatorProxyRoutes({
  sessions,
  forward,
}: OperatorProxyDeps): readonly PublicRoute[] {
  const handlers = createHandlers(forward);
  const serve = async (
    ctx: RouterContext,
    at: Place | undefined,
    { service = "", method = "" }: Rpc = ctx.params,
  ): Promise<PageAnswer> => {
    try {
      const place = at ?? placeOf(service);
      const handler = place && handlers(place).get(`/${service}/${method}`);
      if (handler === undefined) {
        throw new ConnectError("this path names no RPC of the operator API", Code.Unimplemented);
      }
      return await asPerson(ctx, sessions, "change", () => answerOf(ctx, handler));
    } catch (error) {
      if (error instanceof ConnectError) return errorAnswer(error);
      throw error;
    }
  };
  return [
    ...uploads.map(
      ({ parent: { typeName: service }, name: method }): PublicRoute => ({
        method: "POST",
        path: uploadPath(service, method),
        answerWithinMs: uploadMs,
        answer: (ctx) => serve(ctx, undefined, { service, method }),
      }),
    ),
    {
      method: "POST",
      path: `${rpcPath}/at/:place/:service/:method`,
      answer: (ctx) => serve(ctx, ctx.params.place as Place),
    },
    {
      method: "POST",
      path: `${rpcPath}/:service/:method`,
      answer: (ctx) => serve(ctx, undefined),
    },
  ];
}

/**
 * Makes calls as the person of a request. A session may change something only with its CSRF token.
 * Throws if the request has no person.
 */
export async function asPerson<T>(
  ctx: RouterContext,
  sessions: OperatorSessions,
  kind: "read" | "change",
  work: () => Promise<T>,
): Promise<T> {
  return persons.run(await personToken(ctx, sessions, kind), work);
}

/** Returns the access token from the session or the header. Throws if the request has neither. */
async function personToken(
  { req }: RouterContext,
  sessions: OperatorSessions,
  kind: "read" | "change",
): Promise<string> {
  const authorizations = headerValues(req.rawHeaders, "authorization");
  if (authorizations.length > 0) {
    const token = bearerToken(authorizations);
    const person = token === undefined ? undefined : await sessions.personOf(token);
    if (token !== undefined && person !== undefined) return token;
    throw new ConnectError("a person's access token is required", Code.Unauthenticated);
  }
  const session = sessions.tokenOf(req);
  const found = session === undefined ? undefined : await sessions.find(session);
  if (session === undefined || found === undefined) {
    throw new ConnectError("no session: sign in", Code.Unauthenticated);
  }
  const isAllowed =
    kind === "read" || carriesCsrfToken(session, headerValues(req.rawHeaders, "x-csrf-token"));
  if (!isAllowed) {
    throw new ConnectError(
      "X-CSRF-Token: must be the CSRF token of this session",
      Code.PermissionDenied,
    );
  }
  return found.accessToken;
}

/**
 * Returns the RPC handlers of a place, keyed by path. They are created on the place's first call.
 */
function createHandlers(forward: Forward) {
  const created = new Map<Place, ReadonlyMap<string, UniversalHandler>>();
  return (place: Place): ReadonlyMap<string, UniversalHandler> => {
    const known = created.get(place);
    if (known !== undefined) return known;
    const router = createConnectRouter({
      connect: true,
      grpc: false,
      grpcWeb: false,
      // The services reject unknown fields, and so must the proxy. The forwarded call is binary and
      // would drop unknown fields silently.
      jsonOptions: { ignoreUnknownFields: false },
    });
    for (const service of servicesOf(place)) {
      const call = forward(place, service);
      const proxied = service.methods.filter(
        (each) => each.methodKind === "unary" || isUpload(each),
      );
      for (const method of proxied) {
        const answer = (request: object, { signal, responseHeader }: HandlerContext) => {
          const onHeader = (header: Headers) => {
            const version = header.get(versionHeader);
            if (version !== null) responseHeader.set(versionHeader, version);
          };
          if (!isUpload(method))
            return call(method, request, { signal, onHeader }).catch(asAnswered);
          const context = { requestId: "", ...callContext(), deadlineMs: Date.now() + uploadMs };
          const options = { signal, onHeader, timeoutMs: uploadMs };
          return withCallContext(context, () => call(method, request, options)).catch(asAnswered);
        };
        const options = { readMaxBytes: requestBytesMax(method) };
        router.rpc(method as DescMethodUnary, answer as MethodImpl<DescMethodUnary>, options);
      }
    }
    const byPath = new Map(router.handlers.map((each) => [each.requestPath, each]));
    created.set(place, byPath);
    return byPath;
  };
}

/**
 * Throws the service's error again with its challenge for a fresh sign-in. Drops all other headers.
 */
function asAnswered(error: unknown): never {
  if (!(error instanceof ConnectError)) throw error;
  const challenge = error.metadata.get(challengeHeader);
  const headers = challenge === null ? undefined : { [challengeHeader]: challenge };
  const answered = new ConnectError(error.rawMessage, error.code, headers);
  answered.details = error.details;
  throw answered;
}

const challengeHeader = "www-authenticate";
/** `Health` responses contain the release of the process in this header. */
const versionHeader = "disburse-version";

async function answerOf(
  { req, res }: RouterContext,
  handler: UniversalHandler,
): Promise<PageAnswer> {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const header = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === "string") header.set(name, value);
  }
  const answer = await handler({
    httpVersion: req.httpVersion,
    method: req.method ?? "",
    header,
    // The body stays open after an early refusal, so that the browser gets the response.
    body: req.iterator({ destroyOnReturn: false }),
    url: `http://proxy.invalid${handler.requestPath}`,
    signal: gone.signal,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk);
  const headers = Object.fromEntries(answer.header ?? []);
  return { status: answer.status, headers, body: Buffer.concat(chunks) };
}

/** Formats an error as the Connect protocol requires. */
function errorAnswer(error: ConnectError): PageAnswer {
  const body = JSON.stringify(errorToJson(error, undefined));
  const headers = { "Content-Type": "application/json" };
  return { status: codeToHttpStatus(error.code), headers, body };
}
