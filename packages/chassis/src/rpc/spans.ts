import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { type CallContext, callContext, withCallContext } from "../call-context.ts";
import { isSampled, parseTraceparent, traceparentHeader } from "../traceparent.ts";
import type { Span, SpanStart, Tracing } from "../tracing/tracing.ts";
import { type ReadHeader, unauthenticatedServices } from "./identity.ts";

/**
 * Codes that count as the server's own failure (OpenTelemetry's conventions for RPC server spans).
 */
const serverFaults: ReadonlySet<Code> = new Set([
  ...[Code.Unknown, Code.DeadlineExceeded, Code.Unimplemented],
  ...[Code.Internal, Code.Unavailable, Code.DataLoss],
]);

type Call = { readonly method: DescMethod; readonly header: ReadHeader };
type Serve = <T>(call: Call, work: () => Promise<T>) => Promise<T>;

/**
 * Serves each call in a child span of its caller's span, if that one is recorded. Probes have no
 * span.
 */
export function traceServed(tracing: Tracing, serve: Serve) {
  const isFault = (code: Code) => serverFaults.has(code);
  return <T>(context: CallContext, call: Call, work: () => Promise<T>): Promise<T> => {
    const parent = parseTraceparent(call.header(traceparentHeader));
    const isProbe = unauthenticatedServices.has(call.method.parent.typeName);
    if (isProbe || (parent !== undefined && !isSampled(parent))) {
      return withCallContext({ ...context, span: parent }, () => serve(call, work));
    }
    const start = spanOf("server", call.method);
    const { requestId } = context;
    const span = tracing.startSpan(parent === undefined ? rootOf(start, requestId) : start, parent);
    return withCallContext({ ...context, span: span.context }, () =>
      ended(span, isFault, () => serve(call, work)),
    );
  };
}

/** Makes each unary call in a child span of the current span, if that one is recorded. */
export function traceCalls<T extends Pick<Transport, "unary">>(transport: T, tracing: Tracing): T {
  const unary: Transport["unary"] = (...call) => {
    const context = callContext();
    if (context?.span === undefined || !isSampled(context.span)) return transport.unary(...call);
    const span = tracing.startSpan(spanOf("client", call[0]), context.span);
    return withCallContext({ ...context, span: span.context }, () =>
      ended(span, always, () => transport.unary(...call)),
    );
  };
  return { ...transport, unary };
}

const always = () => true;

function spanOf(kind: "server" | "client", { parent, name }: DescMethod): SpanStart {
  const method = `${parent.typeName}/${name}`;
  return {
    kind,
    name: method,
    attributes: { "rpc.system.name": "connectrpc", "rpc.method": method },
  };
}

/** Adds the request id to a root span, so that a trace can be found by its request id. */
function rootOf(start: SpanStart, requestId: string): SpanStart {
  return { ...start, attributes: { ...start.attributes, "disburse.request_id": requestId } };
}

async function ended<T>(
  span: Span,
  isFault: (code: Code) => boolean,
  call: () => Promise<T>,
): Promise<T> {
  try {
    const answer = await call();
    span.end({ attributes: { "rpc.status_code": "ok" } });
    return answer;
  } catch (error) {
    const { code } = ConnectError.from(error);
    const word = Code[code].toLowerCase();
    const fault = isFault(code) ? word : undefined;
    span.end({ attributes: { "rpc.status_code": word }, error: fault });
    throw error;
  }
}
