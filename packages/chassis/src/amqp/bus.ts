import type { Bus } from "../bus/bus.ts";
import type { Metrics } from "../metrics.ts";
import type { AmqpOptions } from "./connection.ts";
import { createConsumers } from "./consumers.ts";
import { createPublisher } from "./publisher.ts";
import { type Rejection, rejections } from "./signature.ts";

export type AmqpBusOptions = AmqpOptions & {
  /**
   * If the broker does not confirm a message in this time, the message counts as unpublished. The
   * outbox publishes it again.
   */
  readonly confirmTimeoutMs?: number;
  /** Registers metrics for the connections and the rejected messages. */
  readonly metrics?: Pick<Metrics, "measured" | "counter">;
};

/** Even a busy broker confirms a message within seconds. */
const confirmTimeoutDefaultMs = 10_000;

/**
 * Exchanges events over RabbitMQ: one topic exchange per publisher, one quorum queue per consumer,
 * persistent messages, publisher confirms, and manual acks after storing. Publishers sign each
 * message. Unsigned messages, and messages of a service that may not publish them, go to the
 * dead-letter queue. The bus connects and reconnects by itself, even if the broker is down at the
 * start; each connection declares the topology. A broker whose memory or disk is full stops reading
 * from publishers, so consumers have their own connection for their acks.
 */
export async function connectAmqpBus(options: AmqpBusOptions): Promise<Bus> {
  const { confirmTimeoutMs = confirmTimeoutDefaultMs } = options;
  const rejected = countRejections(options.metrics);
  const consumers = createConsumers({ ...options, rejected });
  // If the exchange was deleted, the queues' bindings were deleted too.
  const publisher = createPublisher({ ...options, confirmTimeoutMs, refused: consumers.renew });
  options.metrics?.measured(
    "disburse_bus_connected",
    "1 if the process is connected to the message broker and can publish or consume, by purpose.",
    ["purpose"],
    (gauge) => {
      gauge.set({ purpose: "publishing" }, publisher.ready() ? 1 : 0);
      gauge.set({ purpose: "consuming" }, consumers.ready() ? 1 : 0);
    },
  );
  return {
    publish: publisher.publish,
    subscribe: consumers.subscribe,
    ready: () => publisher.ready() && consumers.ready(),
    stop: async () => {
      await consumers.stop();
      await publisher.stop();
    },
  };
}

function countRejections(metrics: AmqpBusOptions["metrics"]) {
  const count = metrics?.counter(
    "disburse_bus_messages_rejected_total",
    "Messages sent to the dead-letter queue because their signature was rejected, by reason.",
    ["reason"],
  );
  // Prometheus counts increases from the first sample, so each counter starts at zero.
  for (const reason of rejections) count?.inc({ reason }, 0);
  return (reason: Rejection): void => count?.inc({ reason });
}
