import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { valueOfWord, wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type ListRequestsRequest,
  type LoggedRequest,
  LoggedRequestSchema,
  RequestCaller,
  type RequestLogService,
  RequestStatus,
} from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import { hasFailed, routeParts } from "./rules/request.ts";
import type { ListedRequest, RequestFilter, RequestStore } from "./store.ts";

/** `RequestLogService`. */
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
  const status = wordOf(RequestStatus, request.status);
  const caller = wordOf(RequestCaller, request.caller);
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
    caller: valueOfWord(RequestCaller, entry.caller),
    callerId: entry.caller_id,
    recordId: entry.record_id ?? "",
  });
}
