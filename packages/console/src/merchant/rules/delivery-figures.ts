import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";

type Figures = {
  /** Deliveries that have ended, and those of them that arrived. */
  readonly ended: number;
  readonly delivered: number;
  /** Milliseconds from the event to its acknowledgement; undefined if nothing was delivered. */
  readonly medianMs: number | undefined;
  readonly slowMs: number | undefined;
};

/** Sums up an endpoint's latest deliveries: how many arrived, and how fast. */
export function figuresOf(
  deliveries: readonly Pick<WebhookDelivery, "state" | "created_at" | "updated_at">[],
): Figures {
  const ended = deliveries.filter(({ state }) => state === "delivered" || state === "exhausted");
  const delivered = ended.filter(({ state }) => state === "delivered");
  const spans = delivered
    .map(({ created_at: from, updated_at: to }) => Date.parse(to) - Date.parse(from))
    .toSorted((one, two) => one - two);
  const within = (part: number) => spans[Math.ceil(part * spans.length) - 1];
  return {
    ended: ended.length,
    delivered: delivered.length,
    medianMs: within(0.5),
    slowMs: within(0.95),
  };
}
