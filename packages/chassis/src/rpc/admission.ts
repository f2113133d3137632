import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { type CallContext, callContext, withCallContext } from "../call-context.ts";
import { authorise } from "../identity/access.ts";
import type { Tls } from "../identity/certificates.ts";
import { type StepUp, stepUpSecondsDefault } from "../identity/step-up.ts";
import type { Verify } from "../identity/verifier.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { isDatabaseUnavailable } from "../mongo/database.ts";
import { callerOf, type Principal } from "../principal.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { contextOf, type ReadHeader, unauthenticatedServices } from "./identity.ts";
import { readRefusal } from "./refusal.ts";
import { traceServed } from "./spans.ts";

/** Whom a server admits, and where it says what it served. */
export type AdmissionOptions = {
  readonly verify: Verify;
  /** What RPCs that ask for a fresh sign-in ask of it; one of 15 minutes by default. */
  readonly stepUp?: StepUp | undefined;
  /** Absent where connections are not encrypted. */
  readonly tls?: Tls | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/** A call that came in by whichever protocol. */
export type IncomingCall = {
  readonly method: DescMethod;
  readonly header: ReadHeader;
  /** The service that the certificate of its connection is of, where it has one. */
  readonly peer?: string | undefined;
};

/** The two steps of letting a call in; all that they throw is a `ConnectError`. */
export type Admission = {
  /** Who calls, by its headers alone; throws UNAUTHENTICATED. */
  readonly identify: (call: IncomingCall) => CallContext | Promise<CallContext>;
  /** Runs the work of a call whose caller is known, or throws PERMISSION_DENIED. */
  readonly run: <T>(context: CallContext, call: IncomingCall, work: Work<T>) => Promise<T>;
};

type Work<T> = () => Promise<T>;

/** Every call passes here: who calls and whether it may, its context, span, metrics, log. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { verify, tls, log, metrics, tracing } = options;
  const { stepUp = { maxAgeSeconds: stepUpSecondsDefault } } = options;
  const observe = observer(log, metrics);
  const serve = tracing && traceServed(tracing, observe);
  const known = (context: CallContext, principal: Principal, peer: string | undefined) => {
    if (tls !== undefined) assertOwnCertificate(principal, peer);
    return { ...context, principal };
  };
  return {
    identify: ({ method, header, peer }) => {
      const context = contextOf(header);
      if (unauthenticatedServices.has(method.parent.typeName)) return context;
      const principal = verify(header("authorization"));
      return principal instanceof Promise
        ? principal.then((verified) => known(context, verified, peer))
        : known(context, principal, peer);
    },
    run: (context, call, work) => {
      const { principal } = context;
      const allowed = async () => {
        if (principal !== undefined) authorise(call.method, principal, stepUp);
        return work();
      };
      if (serve !== undefined) return serve(context, call, allowed);
      return withCallContext(context, () => observe(call, allowed));
    },
  };
}

/** A token that was stolen is of no use over a connection of another service, or of none. */
function assertOwnCertificate(principal: Principal, peer: string | undefined): void {
  // A person is whom the token names; whether one may come without a certificate is TLS's.
  if (principal.kind === "person" || principal.name === peer) return;
  throw new ConnectError("the token is not of the certificate's service", Code.Unauthenticated);
}

/** The service of a call's connection, as the full adapter hands it on. */
export const peerKey = createContextKey<string | undefined>(undefined, {
  description: "the service of the connection's certificate",
});

/** The admission as the full adapter takes it. */
export function admissionInterceptor({ identify, run }: Admission): Interceptor {
  return (next) => async (request) => {
    const header = (name: string) => request.header.get(name);
    const peer = request.contextValues.get(peerKey);
    const call = { method: request.method, header, peer };
    return run(await identify(call), call, () => next(request));
  };
}

/** Calls that take this long are logged: callers wait 10 s at most, and few calls take 100 ms. */
export const slowCallMs = 1_000;

/** The service's own failures; by every other code it refuses what it was sent. */
const failures: ReadonlySet<Code> = new Set([
  ...[Code.Unknown, Code.Internal, Code.DataLoss, Code.Unimplemented],
  ...[Code.Unavailable, Code.DeadlineExceeded],
]);

/** A caller that is not admitted is a failure too, unless the code comes with a refusal of the RPC. */
function isFailure({ code }: ConnectError, refusal: string | undefined): boolean {
  const isNotAdmitted = code === Code.PermissionDenied || code === Code.Unauthenticated;
  return failures.has(code) || (isNotAdmitted && refusal === undefined);
}

/**
 * Counts and times every call. Calls of persons, failed calls and slow calls are logged at
 * `info`; all others, which are most of a service's work, at `debug`.
 */
function observer(log: Log, metrics: Metrics) {
  const duration = durations(metrics);
  return async <T>({ method }: IncomingCall, work: Work<T>): Promise<T> => {
    const started = performance.now();
    let code = "ok";
    let refusal: string | undefined;
    let hasFailed = false;
    try {
      return await work();
    } catch (error) {
      const answered = rpcErrorOf(error, method.name, log);
      code = Code[answered.code].toLowerCase();
      refusal = readRefusal(answered)?.code;
      hasFailed = isFailure(answered, refusal);
      throw answered;
    } finally {
      const durationMs = performance.now() - started;
      const caller = callerOf(callContext()?.principal);
      duration(method.name, code, caller).observe(durationMs / 1_000);
      const isProbe = unauthenticatedServices.has(method.parent.typeName);
      const isNotable = hasFailed || durationMs >= slowCallMs || caller === "person";
      const level = isNotable && !isProbe ? "info" : "debug";
      const duration_ms = Math.round(durationMs);
      log[level]({ rpc: method.name, code, refusal, caller, duration_ms }, "rpc");
    }
  };
}

/** The series of a call; each is looked up by its labels once, as that costs more than a call. */
function durations({ rpcDuration }: Metrics) {
  const series = new Map<string, ReturnType<typeof rpcDuration.labels>>();
  return (rpc: string, code: string, caller: string) => {
    const key = `${rpc} ${code} ${caller}`;
    let found = series.get(key);
    if (found === undefined) {
      found = rpcDuration.labels({ rpc, code, caller });
      series.set(key, found);
    }
    return found;
  };
}

/** What a handler threw as an RPC error; the cause of `INTERNAL` is logged and not sent. */
export function rpcErrorOf(error: unknown, rpc: string, log: Log): ConnectError {
  if (error instanceof ConnectError) return error;
  if (isDatabaseUnavailable(error)) {
    // No bug: the caller may retry.
    log.warn({ reason: (error as Error).name }, "database does not answer");
    return new ConnectError("the database does not answer", Code.Unavailable);
  }
  log.error({ err: error, rpc }, "rpc failed");
  return new ConnectError("internal error", Code.Internal);
}
