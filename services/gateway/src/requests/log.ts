import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { creatorMessage } from "@disburse/chassis/rpc/creator.ts";
import {
  type ListRequestsRequest,
  type LoggedRequest,
  LoggedRequestSchema,
  RequestCaller,
  type RequestLogService,
  RequestStatus,
} from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import {
  type RequestCaller as Caller,
  hasFailed,
  type RequestEntry,
  routeParts,
} from "./rules/request.ts";
import type { ListedRequest, RequestFilter, RequestGroup, RequestStore } from "./store.ts";

/**
 * Maximum requests in a document of about 100 KB. One key can send 100 requests a second, and
 * requests are stored every two seconds.
 */
const groupMax = 500;
/** Maximum requests in memory for all merchants together, about 5 MB. */
const gatheredMax = 20_000;

export function requestLogService(
  store: Pick<RequestStore, "page">,
): ServiceImpl<typeof RequestLogService> {
  return {
    listRequests: async (request) => {
      const { shown, ...page } = await store.page(filterOf(request), request);
      return { requests: shown.map(requestMessage), ...page };
    },
  };
}

function filterOf(request: ListRequestsRequest): RequestFilter {
  const { merchantId, createdFrom: from, createdTo: to } = request;
  const requestId = request.requestId || undefined;
  const status = enumName(RequestStatus, request.status);
  const caller = enumName(RequestCaller, request.caller);
  return {
    merchantId,
    requestId,
    caller: caller ?? (requestId === undefined ? "api_key" : undefined),
    failed: status === undefined ? undefined : status === "failed",
    from: from && timestampDate(from),
    to: to && timestampDate(to),
  };
}

function requestMessage(entry: ListedRequest): LoggedRequest {
  return create(LoggedRequestSchema, {
    id: entry.id,
    requestId: entry.request_id,
    createdAt: timestampFromDate(entry.at),
    ...routeParts(entry.route),
    status: hasFailed(entry) ? RequestStatus.FAILED : RequestStatus.SUCCEEDED,
    httpStatus: entry.status,
    code: entry.code ?? "",
    durationMs: entry.duration_ms,
    createdBy: creatorMessage({ kind: entry.caller, id: entry.caller_id }),
    recordId: entry.record_id ?? "",
  });
}

/**
 * Collects requests in memory, so that no request waits for a write. Drops the oldest requests when
 * a limit is exceeded. Requests that could not be stored are lost. Metrics count both.
 */
export function createRequestLog(deps: {
  readonly store: Pick<RequestStore, "insert">;
  readonly metrics: Metrics;
}) {
  const dropped = deps.metrics.counter(
    "disburse_request_log_dropped_total",
    "Requests missing from the request log, by reason: full, not_stored.",
    ["reason"],
  );
  for (const reason of ["full", "not_stored"]) dropped.inc({ reason }, 0);
  let groups = new Map<string, RequestGroup & { entries: RequestEntry[] }>();
  let gathered = 0;
  const dropOldest = (entries: RequestEntry[]): void => {
    entries.shift();
    gathered -= 1;
    dropped.inc({ reason: "full" });
  };
  return {
    note: (merchantId: string, caller: Caller, entry: RequestEntry): void => {
      const key = `${merchantId} ${caller}`;
      const group = groups.get(key) ?? { merchantId, caller, entries: [] };
      groups.set(key, group);
      group.entries.push(entry);
      gathered += 1;
      if (group.entries.length > groupMax) dropOldest(group.entries);
      if (gathered <= gatheredMax) return;
      const [oldestKey, oldest] = groups.entries().next().value ?? [key, group];
      dropOldest(oldest.entries);
      if (oldest.entries.length === 0) groups.delete(oldestKey);
    },
    flush: async (): Promise<void> => {
      if (gathered === 0) return;
      const [stored, count] = [[...groups.values()], gathered];
      groups = new Map();
      gathered = 0;
      try {
        await deps.store.insert(stored);
      } catch (error) {
        dropped.inc({ reason: "not_stored" }, count);
        throw error;
      }
    },
  };
}
