import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { auditRpc } from "./audit/rpc.ts";
import { openAuditStore } from "./audit/store.ts";
import type { Database } from "./mongo/database.ts";
import type { SpanMemory } from "./tracing/memory.ts";
import { traceRpc } from "./tracing/rpc.ts";

/** What every service serves beside its own: its audit trail, and the spans of its process. */
export function servedByAll(
  name: string,
  { database, spans }: { readonly database: Database; readonly spans: SpanMemory | undefined },
) {
  const services: readonly DescService[] = [AuditService, TraceService];
  const audit = auditRpc(name, openAuditStore<string>(database));
  const traces = traceRpc(name, spans);
  /** Registers a service's own beside them. */
  const register = (router: ConnectRouter, own: (router: ConnectRouter) => void): void => {
    own(router);
    router.service(AuditService, audit);
    router.service(TraceService, traces);
  };
  return { services, register };
}
