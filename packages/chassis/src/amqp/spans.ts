import type { Bus, BusMessage, Subscription } from "../bus/bus.ts";
import { formatTraceparent, isSampled, parseTraceparent } from "../traceparent.ts";
import { errorType, type Span, type SpanStart, type Tracing } from "../tracing/tracing.ts";
import { type AmqpOptions, exchangeOf } from "./connection.ts";

/**
 * Adds tracing to a bus. A message of a recorded trace gets one span when it is published and one
 * when it is handled.
 */
export function traceBus(
  bus: Bus,
  tracing: Tracing,
  { namespace, service }: Pick<AmqpOptions, "namespace" | "service">,
): Bus {
  const exchangeFor = ({ publisher = service }: BusMessage) => exchangeOf(namespace, publisher);
  const publication = (message: BusMessage) => {
    const destination = `${exchangeFor(message)}:${message.key}`;
    return spanOf("publish", `publish ${message.key}`, destination, message);
  };
  return {
    ...bus,
    publish: async (messages) => {
      await inSpans(tracing, messages, publication, async (traced) => {
        await bus.publish(traced);
        return [];
      });
    },
    subscribe: (subscription) => {
      const { queue, handle } = subscription;
      const processing = (message: BusMessage) => {
        const at = `${exchangeFor(message)}:${message.key}`;
        const destination = `${at}:${namespace}.${queue}.inbox`;
        return spanOf("process", `process ${queue}`, destination, message);
      };
      const traced: Subscription["handle"] = (batch) => inSpans(tracing, batch, processing, handle);
      return bus.subscribe({ ...subscription, handle: traced });
    },
  };
}

function spanOf(
  operation: "publish" | "process",
  name: string,
  destination: string,
  { id, key }: BusMessage,
): SpanStart {
  const isPublish = operation === "publish";
  return {
    kind: isPublish ? "producer" : "consumer",
    name,
    attributes: {
      "messaging.system.name": "rabbitmq",
      "messaging.operation.name": operation,
      "messaging.operation.type": isPublish ? "send" : "process",
      "messaging.destination.name": destination,
      "messaging.message.id": id,
      "rabbitmq.destination.routing_key": key,
    },
  };
}

/** Handles messages within one span each. The span ends with the message's outcome. */
async function inSpans<T extends string>(
  tracing: Tracing,
  messages: readonly BusMessage[],
  start: (message: BusMessage) => SpanStart,
  handle: (traced: readonly BusMessage[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const spans = messages.map((message) => {
    const parent = parseTraceparent(message.origin?.traceparent);
    const isRecorded = parent !== undefined && isSampled(parent);
    return isRecorded ? tracing.startSpan(start(message), parent) : undefined;
  });
  try {
    const results = await handle(messages.map((message, at) => under(message, spans[at])));
    for (const [at, span] of spans.entries()) {
      span?.end(results[at] === "dead" ? { error: "dead_lettered" } : {});
    }
    return results;
  } catch (error) {
    for (const span of spans) span?.end({ error: errorType(error) });
    throw error;
  }
}

function under(message: BusMessage, span: Span | undefined): BusMessage {
  if (span === undefined) return message;
  return {
    ...message,
    origin: { ...message.origin, traceparent: formatTraceparent(span.context) },
  };
}
