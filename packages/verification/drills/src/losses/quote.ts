import { ordersToRepeat } from "@disburse/invariants/orders-to-repeat.ts";
import { type Drill, requestOf } from "../drill.ts";

/** Loses quotes. A quote that was claimed after the copy is unclaimed in the copy. */
export const quoteLoss: Drill = {
  service: "quote",
  recover: async ({ databases, asGateway }) => {
    const lines: string[] = [];
    for await (const order of ordersToRepeat(databases)) {
      const { payoutId } = await asGateway.payout
        .executePayout(requestOf(order))
        .catch(() => ({ payoutId: "refused" }));
      lines.push(`${order.quote_id} was open again, and is ${payoutId}'s`);
    }
    return lines;
  },
  // A payout stores its quote's amounts. An unpaid quote is requested again.
  stays: ({ detail }) => /has no quote|its stored response names qt_/.test(detail),
};
