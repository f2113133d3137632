import { create, type DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { SpanSchema, TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type AuditStore, openAuditStore } from "../audit/store.ts";
import type { AuditEntry } from "../audit/trail.ts";
import type { Database } from "../mongo/database.ts";
import { isRequestId } from "../rpc/identity.ts";
import { orThrow } from "../rpc/refusal.ts";
import type { RpcServerOptions } from "../rpc/server.ts";
import type { Mode } from "../settings.ts";
import type { KeptSpan, SpanMemory, SpanQuery } from "../tracing/memory.ts";

/** The services of a server and their handlers. */
type Served = Pick<RpcServerOptions, "services" | "routes">;

/**
 * The maximum number of audit lines in a page, which keeps a page under 1 MB. A line has about 700
 * bytes, including at most 1,000 characters of detail.
 */
const limitMax = 1_000;
const limitDefault = 100;

const traceIdPattern = /^[0-9a-f]{32}$/;

/** Serves the RPCs that every service has: its audit trail, and the spans of its process. */
export function servedByAll(
  name: string,
  { database, spans }: { readonly database: Database; readonly spans: SpanMemory | undefined },
) {
  const services: readonly DescService[] = [AuditService, TraceService];
  const audit = auditRpc(name, openAuditStore<string>(database));
  const traces = traceRpc(name, spans);
  /** Registers a service's own routes together with these. */
  const register = (router: ConnectRouter, own: (router: ConnectRouter) => void): void => {
    own(router);
    router.service(AuditService, audit);
    router.service(TraceService, traces);
  };
  return { services, register };
}

/** Serves the spans of a service's process. Returns none if the process keeps none. */
export function traceRpc(
  service: string,
  memory: SpanMemory | undefined,
): ServiceImpl<typeof TraceService> {
  return {
    listSpans: (request) => {
      const query = orThrow(queryOf(request));
      const spans = memory?.find(query) ?? [];
      return {
        spans: spans.map((span) => spanMessage(service, span)),
        keptMax: memory?.keptMax ?? 0,
      };
    },
  };
}

function queryOf(request: {
  readonly traceId: string;
  readonly requestId: string;
}): SpanQuery | Refused<"INVALID_REQUEST"> {
  const { traceId, requestId } = request;
  if ((traceId === "") === (requestId === "")) {
    return refused(
      "INVALID_REQUEST",
      "trace_id: is required unless request_id is set; only one of them may be set",
    );
  }
  if (requestId !== "") {
    if (isRequestId(requestId)) return { requestId };
    return refused("INVALID_REQUEST", "request_id: must be 1 to 128 letters, digits and ._:-");
  }
  if (traceIdPattern.test(traceId)) return { traceId };
  return refused("INVALID_REQUEST", "trace_id: must be 32 hexadecimal digits");
}

function spanMessage(service: string, { startedUs, durationUs, place: _, ...span }: KeptSpan) {
  const seconds = Math.floor(startedUs / 1_000_000);
  return create(SpanSchema, {
    ...span,
    service,
    startedAt: { seconds: BigInt(seconds), nanos: (startedUs - seconds * 1_000_000) * 1_000 },
    durationUs: BigInt(durationUs),
  });
}

/** The RPCs of a service's own audit trail. */
function auditRpc(
  service: string,
  audit: Pick<AuditStore<string>, "after">,
): ServiceImpl<typeof AuditService> {
  return {
    exportAuditEntries: async ({ after, limit }) => {
      const problems = [
        ...(after < 0n || after > BigInt(Number.MAX_SAFE_INTEGER)
          ? ["after: must be 0 or more"]
          : []),
        ...(limit < 0 || limit > limitMax ? [`limit: must be 1 to ${limitMax}`] : []),
      ];
      if (problems.length > 0) orThrow(refused("INVALID_REQUEST", problems.join("; ")));
      const size = limit === 0 ? limitDefault : limit;
      const entries = await audit.after(Number(after), size);
      const lines = entries.map((entry) => `${jsonLine(service, entry)}\n`);
      return {
        jsonLines: lines.join(""),
        lastSequence: BigInt(entries.at(-1)?.sequence ?? Number(after)),
      };
    },
  };
}

/** Formats an entry for security monitoring systems. */
function jsonLine(service: string, entry: AuditEntry): string {
  const { sequence, at, person, action, subject, operation, detail, call } = entry;
  return JSON.stringify({
    service,
    sequence,
    at: at.toISOString(),
    person,
    action,
    subject,
    operation,
    detail,
    ...(call && {
      caller: call.caller,
      roles: call.roles,
      rpc: call.rpc,
      merchant_id: call.merchantId,
      content: call.content,
      request_id: call.requestId,
      outcome: call.outcome,
    }),
    previous_hash: entry.previousHash,
    hash: entry.hash,
  });
}

/** Returns true if only sandboxes serve a service of the contract, as its name shows. */
export function isSandboxOnly({ name }: DescService): boolean {
  return name.endsWith("SandboxService");
}

/** Selects the services of a mode. Live mode leaves out those for sandboxes. */
export function servedIn(mode: Mode, { services, routes }: Served): Served {
  if (mode === "sandbox") return { services, routes };
  return {
    services: services.filter((each) => !isSandboxOnly(each)),
    routes: (router) => routes(withoutSandbox(router)),
  };
}

/** Wraps a router so that it ignores services for sandboxes. */
function withoutSandbox(router: ConnectRouter): ConnectRouter {
  const live: ConnectRouter = {
    handlers: router.handlers,
    service: (service, implementation, options) => {
      if (!isSandboxOnly(service)) router.service(service, implementation, options);
      return live;
    },
    rpc: (method, implementation, options) => {
      if (!isSandboxOnly(method.parent)) router.rpc(method, implementation, options);
      return live;
    },
  };
  return live;
}
