import { collectionOf } from "@disburse/invariants/database-check.ts";
import { type Drill, requestOf } from "../drill.ts";

/** Loses quotes. A quote that was claimed after the copy is unclaimed in the copy. */
export const quoteLoss: Drill = {
  service: "quote",
  recover: async ({ databases, asGateway }) => {
    const lines: string[] = [];
    const open = await collectionOf(databases, "quotes").find({ state: "open" }).toArray();
    const ids = open.map(({ _id }) => _id);
    const paid = await collectionOf(databases, "payouts")
      .find({ status: { $exists: true }, "order.quote_id": { $in: ids } })
      .toArray();
    for (const { order } of paid) {
      const { payoutId } = await asGateway.payout
        .executePayout(requestOf(order))
        .catch(() => ({ payoutId: "refused" }));
      lines.push(`${order.quote_id} was open again, and is ${payoutId}'s`);
    }
    return lines;
  },
  // A payout stores its quote's amounts. An unpaid quote is requested again.
  stays: ({ detail }) => /has no quote|its answer names qt_/.test(detail),
};
