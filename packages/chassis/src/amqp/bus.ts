import type { Bus } from "../bus/bus.ts";
import type { AmqpOptions } from "./connection.ts";
import { createConsumers } from "./consumers.ts";
import { createPublisher } from "./publisher.ts";

export type AmqpBusOptions = AmqpOptions & {
  /** A confirm that does not come within this is as good as none: the outbox publishes again. */
  readonly confirmTimeoutMs?: number;
};

/** A broker that is busy confirms within seconds. */
const confirmTimeoutDefaultMs = 10_000;

/**
 * Events over RabbitMQ: one topic exchange, one quorum queue per consumer, persistent messages,
 * publisher confirms, manual acks after storing. Connects and reconnects by itself, a broker that
 * is away at the start included; topology is declared on every connection. A broker whose memory or
 * disk is full stops reading from who publishes: consumers have a connection of their own, on which
 * their acks get through.
 */
export async function connectAmqpBus(options: AmqpBusOptions): Promise<Bus> {
  const { confirmTimeoutMs = confirmTimeoutDefaultMs } = options;
  const consumers = createConsumers(options);
  // An exchange that is gone took the bindings of queues along.
  const publisher = createPublisher({ ...options, confirmTimeoutMs, refused: consumers.renew });
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
