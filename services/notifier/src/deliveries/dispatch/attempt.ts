import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { formatTraceparent, traceparentHeader } from "@disburse/chassis/traceparent.ts";
import type { SpanStart, Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { maskedOutcome, openHeaders } from "../../endpoints/headers.ts";
import { type SigningDeps, signedRequest } from "../../endpoints/keys.ts";
import type { Recipient } from "../../endpoints/rules/endpoint.ts";
import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";
import type { Post, PostRequest } from "../../sender/sender.ts";
import { type DeliveryDocument, signable } from "../documents.ts";
import { type Attempt, transitionAfter, transitionBefore } from "../rules/delivery.ts";
import type { Settlement } from "./work-store.ts";

type PostDeps = {
  readonly post: Post;
  /** Absent if tracing is disabled. */
  readonly tracing?: Tracing | undefined;
};

export type AttemptDeps = SigningDeps & PostDeps & { readonly log: Log };

/** Makes the next attempt of a leased delivery. A delivery that has ended gets no attempt. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: DeliveryDocument,
  endpoint: Recipient | undefined,
): Promise<Settlement> {
  const { clock, log } = deps;
  const { _id: id, lease, line, deadline, jitter, forwarded_count: forwarded } = delivery;
  if (lease === null || deadline === null) throw new Error(`delivery ${id} is not leased`);
  const attemptsBefore = delivery.attempts_count;
  const settlement = { id, leaseToken: lease.token, line, attemptsBefore };
  const startedAt = clock.now();
  const before = transitionBefore({ deadline }, endpoint !== undefined, startedAt);
  if (before !== undefined || endpoint === undefined) {
    return { ...settlement, transition: before ?? { state: "cancelled" }, at: startedAt };
  }
  const signed = signedRequest(deps, endpoint, endpoint.url, signable(delivery), startedAt);
  const own = openHeaders(deps.sealer, endpoint);
  const request = { ...signed, headers: { ...own, ...signed.headers } };
  return postDelivery(deps, delivery, request, (answer) => {
    const outcome = maskedOutcome(answer, own);
    const endedAt = clock.now();
    const attempt: Attempt = { number: attemptsBefore + 1, startedAt, endedAt, outcome };
    const transition = transitionAfter(attempt, { jitter, deadline, forwarded });
    const fields = {
      delivery_id: id,
      endpoint_id: endpoint.id,
      event_id: delivery.event_id,
      transaction_id: delivery.transaction_id,
      attempt: attempt.number,
      result: outcome.kind === "answered" ? outcome.statusCode : outcome.error,
      state: transition.state,
      duration_ms: endedAt.getTime() - startedAt.getTime(),
    };
    if (isAcknowledged(outcome)) log.debug(fields, "webhook delivered");
    else log.info(fields, "webhook attempt failed");
    return { ...settlement, attempt, transition, at: endedAt };
  });
}

/**
 * Posts a delivery and settles its outcome. If the causing request is traced, both steps run in a
 * new span. The webhook's `traceparent` header identifies that span.
 */
async function postDelivery<T>(
  { post, tracing }: PostDeps,
  delivery: DeliveryDocument,
  request: PostRequest,
  report: (outcome: Outcome) => T,
): Promise<T> {
  const context = callContext();
  if (tracing === undefined || context?.span === undefined) return report(await post(request));
  const span = tracing.startLater(spanOf(delivery), context.span, delivery.created_at);
  const traceparent = formatTraceparent(span.context);
  const headers = { ...request.headers, [traceparentHeader]: traceparent };
  const outcome = await post({ ...request, headers });
  span.end(endOf(outcome));
  return withCallContext({ ...context, span: span.context }, () => report(outcome));
}

/**
 * Describes the span of an attempt. It contains the endpoint's id instead of its URL, because the
 * URL may contain a secret of the merchant.
 */
function spanOf({ _id, endpoint_id, event_id, attempts_count }: DeliveryDocument): SpanStart {
  return {
    kind: "client",
    name: "POST",
    attributes: {
      "http.request.method": "POST",
      "http.request.resend_count": attempts_count,
      "disburse.delivery_id": _id,
      "disburse.endpoint_id": endpoint_id,
      "disburse.event_id": event_id,
    },
  };
}

function endOf(outcome: Outcome) {
  if (outcome.kind === "failed") return { error: outcome.error };
  const { statusCode } = outcome;
  return {
    attributes: { "http.response.status_code": statusCode },
    ...(!isAcknowledged(outcome) && { error: String(statusCode) }),
  };
}
