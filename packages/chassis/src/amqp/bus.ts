import type { Bus } from "../bus/bus.ts";
import type { Metrics } from "../metrics.ts";
import type { AmqpOptions } from "./connection.ts";
import { createConsumers } from "./consumers.ts";
import { createPublisher } from "./publisher.ts";
import { type Rejection, rejections } from "./signature.ts";

/** How to connect to the broker. */
export type AmqpBusOptions = AmqpOptions & {
  /** Without a confirm in this time a message counts as unpublished; the outbox publishes again. */
  readonly confirmTimeoutMs?: number;
  /** Where its connections are shown, and what it does not believe. */
  readonly metrics?: Pick<Metrics, "measured" | "counter">;
};

/** A busy broker confirms within seconds. */
const confirmTimeoutDefaultMs = 10_000;

/**
 * Events over RabbitMQ: one topic exchange per publisher, one quorum queue per consumer, persistent
 * messages, publisher confirms, manual acks after storing. Each message is signed by its publisher,
 * and goes to the dead letters where it is not, or by another than may publish it. Connects and
 * reconnects by itself, also where the broker is down at the start; each connection declares the
 * topology. A broker whose memory or disk is full stops reading from publishers: consumers have
 * their own connection, so that their acks get through.
 */
export async function connectAmqpBus(options: AmqpBusOptions): Promise<Bus> {
  const { confirmTimeoutMs = confirmTimeoutDefaultMs } = options;
  const rejected = countRejections(options.metrics);
  const consumers = createConsumers({ ...options, rejected });
  // The bindings of queues went with the exchange.
  const publisher = createPublisher({ ...options, confirmTimeoutMs, refused: consumers.renew });
  options.metrics?.measured(
    "disburse_bus_connected",
    "1 where the broker is connected and takes messages, or gives them, by purpose.",
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
    "Messages that went to the dead letters because they are not believed, by reason.",
    ["reason"],
  );
  // An increase counts from a sample on: without the zeros the first one would be none.
  for (const reason of rejections) count?.inc({ reason }, 0);
  return (reason: Rejection): void => count?.inc({ reason });
}
