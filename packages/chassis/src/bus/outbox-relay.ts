import { forRequest } from "../call-context.ts";
import type { Log } from "../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { Bus, BusMessage } from "./bus.ts";

/** Events that documents owe; they stay with their documents until the bus has them. */
export type Outbox = {
  /** The oldest unpublished events, at most `limit`. */
  due(limit: number): Promise<readonly BusMessage[]>;
  /** Removes published events from their documents. */
  published(messages: readonly BusMessage[]): Promise<void>;
};

/** One bulk write removes this many. */
const relayBatch = 200;
/** What a crash or a broker outage left is found no later than this after things are well again. */
const sweepEveryMs = 500;

/**
 * Publishes, waits for the confirm, then removes. The write path wakes it; a sweep finds leftovers.
 * A line tells of each event, under the request that it goes back to.
 */
export function startRelay(options: {
  readonly outbox: Outbox;
  readonly bus: Bus;
  readonly log: Log;
}): Loop {
  return startLoop({
    name: "outbox-relay",
    everyMs: sweepEveryMs,
    log: options.log,
    run: async () => {
      if (!options.bus.ready()) return false;
      const messages = await options.outbox.due(relayBatch);
      if (messages.length === 0) return false;
      const started = performance.now();
      await options.bus.publish(messages);
      const duration_ms = Math.round(performance.now() - started);
      for (const { id, key, requestId } of messages) {
        const fields = { event_id: id, key, duration_ms };
        forRequest(requestId, () => options.log.info(fields, "event published"));
      }
      await options.outbox.published(messages);
      return messages.length >= relayBatch;
    },
  });
}
