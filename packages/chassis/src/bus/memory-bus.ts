import { type Bus, type BusMessage, patternTakes, type Subscription } from "./bus.ts";

/**
 * Hands events to consumers of the same process, where there is no broker. A publication succeeds
 * when every bound consumer has stored it; until then the publisher's outbox keeps it.
 */
export function createMemoryBus(): Bus {
  const subscriptions: Subscription[] = [];
  const running = new Set<Promise<unknown>>();
  let stopped = false;

  const deliver = async (messages: readonly BusMessage[]) => {
    for (const { keys, handle } of subscriptions) {
      const batch = messages.filter(({ key }) =>
        keys.some((pattern) => patternTakes(pattern, key)),
      );
      if (batch.length > 0) await handle(batch);
    }
  };
  const bound = ({ key }: BusMessage) =>
    subscriptions.some(({ keys }) => keys.some((pattern) => patternTakes(pattern, key)));

  return {
    publish: async (messages) => {
      if (stopped) throw new Error("the bus is stopped");
      if (!messages.every(bound)) throw new Error("nobody is bound to an event's key yet");
      const delivery = deliver(messages);
      running.add(delivery);
      try {
        await delivery;
      } finally {
        running.delete(delivery);
      }
    },
    subscribe: async (subscription) => {
      subscriptions.push(subscription);
    },
    ready: () => !stopped,
    stop: async () => {
      stopped = true;
      await Promise.allSettled(running);
    },
  };
}
