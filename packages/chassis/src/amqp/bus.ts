import type { Bus } from "../bus/bus.ts";
import type { Metrics } from "../metrics.ts";
import type { AmqpOptions } from "./connection.ts";
import { createConsumers } from "./consumers.ts";
import { createPublisher } from "./publisher.ts";

/** How to connect to the broker. */
export type AmqpBusOptions = AmqpOptions & {
  /** Without a confirm in this time a message counts as unpublished; the outbox publishes again. */
  readonly confirmTimeoutMs?: number;
  /** Where its connections are shown. */
  readonly metrics?: Pick<Metrics, "measured">;
};

/** A busy broker confirms within seconds. */
const confirmTimeoutDefaultMs = 10_000;

/**
 * Events over RabbitMQ: one topic exchange, one quorum queue per consumer, persistent messages,
 * publisher confirms, manual acks after storing. Connects and reconnects by itself, also where the
 * broker is down at the start; each connection declares the topology. A broker whose memory or disk
 * is full stops reading from publishers: consumers have their own connection, so that their acks
 * get through.
 */
export async function connectAmqpBus(options: AmqpBusOptions): Promise<Bus> {
  const { confirmTimeoutMs = confirmTimeoutDefaultMs } = options;
  const consumers = createConsumers(options);
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
