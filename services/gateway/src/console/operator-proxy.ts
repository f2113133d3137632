import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethodUnary, DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createConnectRouter,
  type HandlerContext,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import type { PageAnswer } from "../http/answer.ts";
import type { RouterContext } from "../http/observe.ts";
import { headerValues } from "../http/rules/request.ts";
import type { PublicRoute } from "../http/static.ts";
import { bearerToken } from "../keys/rules/api-key.ts";
import type { OperatorSessions } from "../sessions/operators.ts";
import { carriesCsrfToken, consolePath } from "../sessions/rules/session.ts";
import { type Place, placeOf, servicesOf } from "./served.ts";

/** `signal` cancels the call. `onHeader` receives the response headers. */
export type CallOptions = {
  readonly signal: AbortSignal;
  readonly onHeader: (header: Headers) => void;
};

/**
 * Returns a function that calls a service's unary RPCs on behalf of the current request's sender.
 */
export type Forward = (
  place: Place,
  service: DescService,
) => (method: DescMethodUnary, request: object, options: CallOptions) => Promise<object>;

export type OperatorProxyDeps = { readonly sessions: OperatorSessions; readonly forward: Forward };

/**
 * Maximum size of a request. The largest operator request is a batch of decisions. Long lists are
 * sent over gRPC.
 */
const requestBytesMax = 1024 * 1024;

const persons = new AsyncLocalStorage<string>();

/** The identity of forwarded calls is the person who sent the request. */
export const personIdentity: ClientIdentity = () => {
  const token = persons.getStore();
  if (token === undefined)
    throw new Error("a call of the operator API proxy has no authenticated person");
  return `Bearer ${token}`;
};

/**
 * Serves the RPCs of all services to operators over the Connect protocol. Each call is sent with
 * the operator's own access token, and the called service checks permissions.
 */
export function operatorProxyRoutes({
  sessions,
  forward,
}: OperatorProxyDeps): readonly PublicRoute[] {
  const handlers = createHandlers(forward);
  const serve = async (ctx: RouterContext, at: Place | undefined): Promise<PageAnswer> => {
    try {
      const { service = "", method = "" } = ctx.params;
      const place = at ?? placeOf(service);
      const handler = place && handlers(place).get(`/${service}/${method}`);
      if (handler === undefined) {
        throw new ConnectError("this path names no RPC of the operator API", Code.Unimplemented);
      }
      const token = await personToken(ctx, sessions);
      return await persons.run(token, () => answerOf(ctx, handler));
    } catch (error) {
      if (error instanceof ConnectError) return errorAnswer(error);
      throw error;
    }
  };
  const rpc = `${consolePath}rpc`;
  return [
    {
      method: "POST",
      path: `${rpc}/at/:place/:service/:method`,
      answer: (ctx) => serve(ctx, ctx.params.place as Place),
    },
    {
      method: "POST",
      path: `${rpc}/:service/:method`,
      answer: (ctx) => serve(ctx, undefined),
    },
  ];
}

/** Returns the access token from the session or the header. Throws if the request has neither. */
async function personToken({ req }: RouterContext, sessions: OperatorSessions): Promise<string> {
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
  if (!carriesCsrfToken(session, headerValues(req.rawHeaders, "x-csrf-token"))) {
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
      readMaxBytes: requestBytesMax,
      // The services reject unknown fields, and so must the proxy. The forwarded call is binary and
      // would drop unknown fields silently.
      jsonOptions: { ignoreUnknownFields: false },
    });
    for (const service of servicesOf(place)) {
      const call = forward(place, service);
      const unary = service.methods.filter((each) => each.methodKind === "unary");
      const rpcs = unary.map((method) => [
        method.localName,
        (request: object, { signal, responseHeader }: HandlerContext) =>
          call(method as DescMethodUnary, request, {
            signal,
            onHeader: (header) => {
              const version = header.get(versionHeader);
              if (version !== null) responseHeader.set(versionHeader, version);
            },
          }).catch(asAnswered),
      ]);
      router.service(service, Object.fromEntries(rpcs) as Partial<ServiceImpl<DescService>>);
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
    body: req,
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
