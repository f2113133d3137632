import { collectionOf, type Databases } from "./database-check.ts";

const askEveryMs = 200;
/** A wait of a merchant's endpoint that is longer than this is its own, not the platform's. */
const dueSoonMs = 1_000;

/**
 * Waits until a platform rests: every payout at its end or in doubt, every movement recorded, every
 * event published, nothing due for a merchant. Answers what is still under way after `timeoutMs`,
 * in words; none for a platform at rest. Several looks in a row have to find it so. Payouts of
 * `unconfirmed` rails rest while they are processed: nothing says that they were paid but time.
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
    if (quiet === looksInARow || Date.now() > giveUpAt) return busy;
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

/** Between two looks an event may be with the broker, and in no document. */
const looksInARow = 5;

async function underWay(databases: Databases, unconfirmed: readonly string[]): Promise<string[]> {
  const of = (name: Parameters<typeof collectionOf>[1]) => collectionOf(databases, name);
  const soon = new Date(Date.now() + dueSoonMs);
  const isResting = [{ paused_at: { $type: "date" } }, { verified_at: { $type: "null" } }];
  const resting = await of("endpoints").distinct("_id", { $or: isResting });
  const asked = {
    "payouts on their way": of("payouts").countDocuments({
      status: "initiated",
      "progress.stage": { $ne: "unknown" },
      $nor: [{ rail: { $in: unconfirmed }, "progress.stage": "processing" }],
    }),
    "payouts on their way back": of("payouts").countDocuments({ "progress.stage": "returning" }),
    "events to publish": of("payouts").countDocuments({ "outbox.at": { $gt: new Date(0) } }),
    "accounts with entries to record": of("accounts").countDocuments({ dirty: true }),
    "webhooks due": of("deliveries").countDocuments({
      state: "pending",
      due_at: { $lte: soon },
      endpoint_id: { $nin: resting },
    }),
    "requests under way": of("idempotency_keys").countDocuments({
      "progress.state": "running",
      "progress.lock_until": { $gt: new Date() },
    }),
  };
  const counts = await Promise.all(Object.values(asked));
  return Object.keys(asked).flatMap((name, at) =>
    counts[at] === 0 ? [] : [`${counts[at]} ${name}`],
  );
}
