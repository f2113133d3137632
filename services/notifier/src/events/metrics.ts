import type { Metrics } from "@disburse/chassis/metrics.ts";

/** What is told of events on their way in; labels are closed sets. */
export type EventMetrics = {
  /** A message that no merchant can be told of went to the dead letters. */
  unreadable(routingKey: string): void;
};

const families: readonly string[] = ["payout", "payment_session", "refund"];

/** The series of incoming events. */
export function createEventMetrics(metrics: Metrics): EventMetrics {
  const unreadable = metrics.counter(
    "disburse_webhook_events_unreadable_total",
    "Messages that went to the dead letters unread, by what they claimed to be.",
    ["key"],
  );
  return {
    unreadable: (routingKey) => {
      const [family = ""] = routingKey.split(".");
      unreadable.inc({ key: families.includes(family) ? family : "other" });
    },
  };
}
