import { collectionOf, type Databases } from "./database-check.ts";

const askEveryMs = 200;
/**
 * Limit for work that counts as due. Work that is due later waits for a merchant's endpoint, not
 * for the platform.
 */
const dueSoonMs = 1_000;

/**
 * Waits until a platform is idle. Then every payout is final or has an unknown outcome, every
 * movement is recorded, every event is published, and nothing is due for a merchant. Several
 * consecutive polls must agree. Returns the pending work after `timeoutMs`. Payouts on
 * `unconfirmed` rails count as idle while processing, because only time confirms them.
 */
export async function untilQuiet(
  databases: Databases,
  timeoutMs: number,
  unconfirmed: readonly string[] = [],
): Promise<string[]> {
  const giveUpAt = Date.now() + timeoutMs;
  for (let quiet = 0; ; ) {
    const busy = await underWay(databases, unconfirmed);
    quiet = busy.length === 0 ? quiet + 1 : 0;
    if (quiet === readsInARow || Date.now() > giveUpAt) return busy;
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

/**
 * Number of consecutive polls. At the time of one poll, an event may be at the broker and in no
 * document.
 */
const readsInARow = 5;

async function underWay(databases: Databases, unconfirmed: readonly string[]): Promise<string[]> {
  const of = (name: Parameters<typeof collectionOf>[1]) => collectionOf(databases, name);
  const soon = new Date(Date.now() + dueSoonMs);
  const isResting = [{ paused_at: { $type: "date" } }, { verified_at: { $type: "null" } }];
  const resting = await of("endpoints").distinct("_id", { $or: isResting });
  const pending = {
    "payouts in progress": of("payouts").countDocuments({
      status: "initiated",
      "progress.stage": { $ne: "unknown" },
      $nor: [{ rail: { $in: unconfirmed }, "progress.stage": "processing" }],
    }),
    "payouts being returned": of("payouts").countDocuments({ "progress.stage": "returning" }),
    "events to publish": of("payouts").countDocuments({ "outbox.at": { $gt: new Date(0) } }),
    "accounts with entries to record": of("accounts").countDocuments({ dirty: true }),
    "webhooks due": of("deliveries").countDocuments({
      state: "pending",
      due_at: { $lte: soon },
      endpoint_id: { $nin: resting },
    }),
    "requests in progress": of("idempotency_keys").countDocuments({
      "progress.state": "running",
      "progress.lock_until": { $gt: new Date() },
    }),
  };
  const counts = await Promise.all(Object.values(pending));
  return Object.keys(pending).flatMap((name, at) =>
    counts[at] === 0 ? [] : [`${counts[at]} ${name}`],
  );
}
