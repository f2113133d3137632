import { forRequest } from "../call-context.ts";
import { type Loop, type LoopOptions, startLoop } from "../loop.ts";
import type { Bus, BusMessage } from "./bus.ts";

/** Access to pending events. An event stays in its document until it is published. */
export type Outbox = {
  /** Returns the oldest pending events, at most `limit`. */
  due(limit: number): Promise<readonly BusMessage[]>;
  /** Removes events that the bus has confirmed. */
  published(messages: readonly BusMessage[]): Promise<void>;
};

/** The number of events removed by one bulk write. */
const relayBatch = 200;
/**
 * The interval between sweeps. Events that remain after a crash or an outage are delayed by up to
 * this time.
 */
const sweepEveryMs = 500;

type RelayOptions = Pick<LoopOptions, "log" | "wake" | "manual"> & {
  readonly outbox: Outbox;
  readonly bus: Bus;
};

/**
 * Publishes pending events and removes confirmed ones. `wake` signals that there is a new event.
 */
export function startRelay(options: RelayOptions): Loop {
  return startLoop({
    name: "outbox-relay",
    everyMs: sweepEveryMs,
    wake: options.wake,
    log: options.log,
    manual: options.manual,
    run: async () => {
      if (!options.bus.ready()) return false;
      const messages = await options.outbox.due(relayBatch);
      if (messages.length === 0) return false;
      const started = performance.now();
      await options.bus.publish(messages);
      const duration_ms = Math.round(performance.now() - started);
      for (const { id, key, origin } of messages) {
        const fields = { event_id: id, key, duration_ms };
        forRequest(origin, () => options.log.debug(fields, "event published"));
      }
      await options.outbox.published(messages);
      return messages.length >= relayBatch;
    },
  });
}
