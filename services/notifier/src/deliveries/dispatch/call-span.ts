import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { formatTraceparent, traceparentHeader } from "@disburse/chassis/tracing/traceparent.ts";
import type { SpanStart, Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { Outcome } from "../../sender/rules/outcome.ts";
import type { Post, PostRequest } from "../../sender/sender.ts";
import type { DeliveryDocument } from "../documents.ts";

/** What a webhook is posted with. */
export type PostDeps = {
  readonly post: Post;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/**
 * Posts a delivery, where its request is traced in a span that its receiver is given; what becomes
 * of it is reported under that span.
 */
export async function postDelivery<T>(
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

/** The address is the merchant's, and may have a secret in it: the endpoint's id stands for it. */
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

/** Anything but 200 is not acknowledged. */
const acknowledged = 200;

function endOf(outcome: Outcome) {
  if (outcome.kind === "failed") return { error: outcome.error };
  const { statusCode } = outcome;
  return {
    attributes: { "http.response.status_code": statusCode },
    ...(statusCode !== acknowledged && { error: String(statusCode) }),
  };
}
