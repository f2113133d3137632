import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { type CallContext, callContext, withCallContext } from "../call-context.ts";
import { authorise } from "../identity/access.ts";
import type { Tls } from "../identity/certificates.ts";
import { type StepUp, stepUpSecondsDefault } from "../identity/step-up.ts";
import type { Verify } from "../identity/verifier.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { type Database, isDatabaseUnavailable } from "../mongo/database.ts";
import { callerOf, type Principal } from "../principal.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { contextOf, type ReadHeader, unauthenticatedServices } from "./identity.ts";
import { readRefusal } from "./refusal.ts";
import { traceServed } from "./spans.ts";

export type AdmissionOptions = {
  readonly verify: Verify;
  /**
   * The requirements for a fresh sign-in, which some RPCs demand. By default a sign-in is fresh for
   * 15 minutes.
   */
  readonly stepUp?: StepUp | undefined;
  /** Absent if connections are not encrypted. */
  readonly tls?: Tls | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Absent if tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** Absent if the RPCs read no database. */
  readonly watchPrimary?: WatchPrimary | undefined;
};

type WatchPrimary = Database["watchPrimary"];

export type IncomingCall = {
  readonly method: DescMethod;
  readonly header: ReadHeader;
  /** The service named in the connection's certificate, if there is one. */
  readonly peer?: string | undefined;
};

/** The two steps of admitting a call. Both throw only `ConnectError`s. */
export type Admission = {
  /** Identifies the caller from the headers alone. Throws UNAUTHENTICATED. */
  readonly identify: (call: IncomingCall) => CallContext | Promise<CallContext>;
  /** Runs the work of an identified caller, or throws PERMISSION_DENIED. */
  readonly run: <T>(context: CallContext, call: IncomingCall, work: Work<T>) => Promise<T>;
};

type Work<T> = () => Promise<T>;

/**
 * Creates the admission of calls: it handles identity, authorisation, context, span, metrics and
 * log.
 */
export function createAdmission(options: AdmissionOptions): Admission {
  const { verify, tls, log, metrics, tracing, watchPrimary } = options;
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
        return watchPrimary === undefined ? work() : withProvenAbsence(watchPrimary, work);
      };
      if (serve !== undefined) return serve(context, call, allowed);
      return withCallContext(context, () => observe(call, allowed));
    },
  };
}

/**
 * Runs the work of a call. A refusal that a record doesn't exist needs proof, because callers don't
 * repeat such a call.
 */
export async function withProvenAbsence<T>(watchPrimary: WatchPrimary, work: Work<T>): Promise<T> {
  const prove = watchPrimary();
  try {
    return await work();
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") await prove();
    throw error;
  }
}

/**
 * Refuses a service's token over a connection with another service's certificate or without one, so
 * that a stolen token is useless there.
 */
function assertOwnCertificate(principal: Principal, peer: string | undefined): void {
  // A person is identified by the token alone. The TLS settings decide whether a person needs a
  // certificate.
  if (principal.kind === "person" || principal.name === peer) return;
  throw new ConnectError(
    "the token and the certificate belong to different services",
    Code.Unauthenticated,
  );
}

/** The context key that passes the connection's service through the full adapter. */
export const peerKey = createContextKey<string | undefined>(undefined, {
  description: "the service that the connection's certificate identifies",
});

/** Makes the admission available as an interceptor for the full adapter. */
export function admissionInterceptor({ identify, run }: Admission): Interceptor {
  return (next) => async (request) => {
    const header = (name: string) => request.header.get(name);
    const peer = request.contextValues.get(peerKey);
    const call = { method: request.method, header, peer };
    return run(await identify(call), call, () => next(request));
  };
}

/**
 * The duration from which a call is logged as slow. Callers wait at most 10 s, and few calls take
 * 100 ms.
 */
export const slowCallMs = 1_000;

/**
 * Codes that mean a failure of the service. Every other code means that the request was refused.
 */
const failures: ReadonlySet<Code> = new Set([
  ...[Code.Unknown, Code.Internal, Code.DataLoss, Code.Unimplemented],
  ...[Code.Unavailable, Code.DeadlineExceeded],
]);

/**
 * A call with a rejected identity counts as a failure, unless the error contains a refusal by the
 * RPC.
 */
function isFailure({ code }: ConnectError, refusal: string | undefined): boolean {
  const isNotAdmitted = code === Code.PermissionDenied || code === Code.Unauthenticated;
  return failures.has(code) || (isNotAdmitted && refusal === undefined);
}

/**
 * Counts and times every call. Calls of persons, failed calls and slow calls are logged at `info`.
 * All other calls, which are the majority, are logged at `debug`.
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

/**
 * Caches the metric series of each kind of call, because finding a series by its labels costs more
 * than a call.
 */
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

/**
 * Converts a thrown error to an RPC error. The cause of `INTERNAL` is logged and not sent to the
 * caller.
 */
export function rpcErrorOf(error: unknown, rpc: string, log: Log): ConnectError {
  if (error instanceof ConnectError) return error;
  if (isDatabaseUnavailable(error)) {
    // This error is not a bug, and the caller may retry.
    log.warn({ reason: (error as Error).name }, "call failed: the database does not respond");
    return new ConnectError("the database does not respond", Code.Unavailable);
  }
  log.error({ err: error, rpc }, "call failed with an internal error");
  return new ConnectError("internal error", Code.Internal);
}
