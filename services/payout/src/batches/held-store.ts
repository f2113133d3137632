import type { Filter } from "mongodb";
import type { Orders } from "../orders/document.ts";
import type { Hold } from "../orders/held-store.ts";
import type { BatchDocument, Batches } from "./document.ts";
import { batchEvent } from "./events.ts";

/** Matches batches that may still begin lines: they are neither cancelled nor expired. */
export const unended = { cancelled_at: { $exists: false }, expired_at: { $exists: false } };

/**
 * Holds waiting and running batches. An actor other than the maker must then decide on them, even
 * if they were approved before. Call `takeLinesBack` for their lines.
 */
export async function holdBatches(
  batches: Batches,
  filter: Filter<BatchDocument>,
  { stoppedFor, lastsMs }: Hold,
): Promise<void> {
  for (;;) {
    const open = { ...filter, ...unended, state: { $in: ["awaiting_approval", "running"] } };
    const batch = await batches.findOne(open as Filter<BatchDocument>);
    if (batch === null) return;
    const { _id, state, held, approval } = batch;
    const times = (held?.times ?? 0) + 1;
    // Matches only the batch that was read. If a concurrent write changed it, the next round reads
    // it again.
    const asRead = {
      _id,
      state,
      "held.times": held?.times ?? { $exists: false },
      "approval.operation_id": approval?.operation_id ?? { $exists: false },
      ...unended,
    };
    const expires_at = { $add: ["$$NOW", lastsMs] };
    const has_run = held?.has_run === true || state === "running";
    const event = batchEvent(_id, "approval_required", times);
    await batches.updateOne(asRead as Filter<BatchDocument>, [
      {
        $set: {
          state: "awaiting_approval",
          by_another: true,
          stopped_for: { $literal: stoppedFor },
          held: { at: "$$NOW", expires_at, times, has_run },
          pending_events: { $concatArrays: ["$pending_events", [{ $literal: event }]] },
          due_at: expires_at,
          updated_at: "$$NOW",
        },
      },
      { $unset: ["lease", "approval"] },
    ]);
  }
}

/**
 * Removes the lease from the lines of a held batch. A runner that has read the lines can then bind
 * no quote to them.
 */
export async function takeLinesBack(lines: Orders, batchId: string): Promise<void> {
  const unquoted = { quote: { $exists: false }, lease: { $exists: true } };
  await lines.updateMany(
    { batch_id: batchId, state: "waiting", ...unquoted },
    { $unset: { lease: "" } },
  );
}

/**
 * Expires held batches whose approval has expired by the database's clock. The runner then fails
 * their remaining lines.
 */
export async function expireHeld(batches: Batches, now: Date): Promise<void> {
  const due = { due_at: { $lte: now }, state: "awaiting_approval" as const };
  // Usually no batch is due, and this read avoids a write.
  if ((await batches.findOne(due, { projection: { _id: 1 } })) === null) return;
  await batches.updateMany({ ...due, $expr: { $lte: ["$due_at", "$$NOW"] } }, [
    { $set: { state: "running", expired_at: "$$NOW", due_at: "$$NOW", updated_at: "$$NOW" } },
  ]);
}
