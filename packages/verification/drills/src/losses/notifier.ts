import { until } from "@disburse/harness/waiting.ts";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import type { Drill } from "../drill.ts";

/**
 * The notifier ignores missing events that are younger than a minute. The next sweep finds them.
 */
const sweptWithinMs = 150_000;
const everyMs = 500;

/** Loses events and deliveries. The notifier requests the published events from payout. */
export const notifierLoss: Drill = {
  service: "notifier",
  recover: async ({ databases }, { orders }) => {
    const ids = orders.map(({ payoutId }) => payoutId);
    const events = collectionOf(databases, "events");
    const isThere = async () => {
      const found = await events.distinct("transaction_id", { transaction_id: { $in: ids } });
      return found.length === ids.length;
    };
    const started = performance.now();
    const isRepaired = await until(isThere, { timeoutMs: sweptWithinMs, everyMs });
    const seconds = Math.round((performance.now() - started) / 1_000);
    return [`the sweep ${isRepaired ? "stored" : "did NOT store"} what was lost, in ${seconds} s`];
  },
  stays: () => false,
};
