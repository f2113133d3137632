import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { withCallContext } from "../call-context.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { isDatabaseUnavailable } from "../mongo/database.ts";
import { traceServed } from "../tracing/rpc-spans.ts";
import type { Tracing } from "../tracing/tracing.ts";
import {
  acceptIdentity,
  callerHeader,
  type ReadHeader,
  unauthenticatedServices,
} from "./identity.ts";
import { readRefusal } from "./refusal.ts";

/** Whom a server admits, and where it says what it served. */
export type AdmissionOptions = {
  readonly serviceToken: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/** A call that came in by whichever protocol. */
export type IncomingCall = { readonly method: DescMethod; readonly header: ReadHeader };

/** Runs a call's work, or throws UNAUTHENTICATED; all that it throws is a `ConnectError`. */
export type Admission = <T>(call: IncomingCall, work: () => Promise<T>) => Promise<T>;

/** Every call passes here: identity, request id and deadline of its context, span, metrics, log. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { serviceToken, log, metrics, tracing } = options;
  const identify = acceptIdentity(serviceToken);
  const observe = observer(log, metrics);
  const serve = tracing && traceServed(tracing, observe);
  return (call, work) => {
    const context = identify(call.method.parent.typeName, call.header);
    if (serve !== undefined) return serve(context, call, work);
    return withCallContext(context, () => observe(call, work));
  };
}

/** The admission as the full adapter takes it. */
export function admissionInterceptor(admit: Admission): Interceptor {
  return (next) => async (request) => {
    const header = (name: string) => request.header.get(name);
    return admit({ method: request.method, header }, () => next(request));
  };
}

/** Counts, times and logs every call; probes, which are frequent, at `debug`. */
function observer(log: Log, metrics: Metrics): Admission {
  const duration = durations(metrics);
  return async ({ method, header }, work) => {
    const started = performance.now();
    let code = "ok";
    let refusal: string | undefined;
    try {
      return await work();
    } catch (error) {
      const answered = rpcErrorOf(error, method.name, log);
      code = Code[answered.code].toLowerCase();
      refusal = readRefusal(answered)?.code;
      throw answered;
    } finally {
      const durationMs = performance.now() - started;
      const caller = header(callerHeader) ?? "";
      duration(method.name, code, caller).observe(durationMs / 1_000);
      const level = unauthenticatedServices.has(method.parent.typeName) ? "debug" : "info";
      const duration_ms = Math.round(durationMs);
      log[level]({ rpc: method.name, code, refusal, caller, duration_ms }, "rpc");
    }
  };
}

/** Who calls, as metrics name it; any other caller is "other", so that the label is bounded. */
const knownCallers: ReadonlySet<string> = new Set([
  "gateway",
  "beneficiary",
  "quote",
  "payout",
  "notifier",
  "compliance",
]);

/** The series of a call; each is looked up by its labels once, as that costs more than a call. */
function durations({ rpcDuration }: Metrics) {
  const series = new Map<string, ReturnType<typeof rpcDuration.labels>>();
  return (rpc: string, code: string, sent: string) => {
    const caller = knownCallers.has(sent) ? sent : "other";
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
