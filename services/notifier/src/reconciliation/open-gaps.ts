import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { GapKind } from "./rules/window.ts";

/** A new gap. The key is that of the event that was lost or that lacks deliveries. */
export type FoundGap = { readonly key: string; readonly eventId: string };

/** A gap that is not repaired yet. */
export type Gap = FoundGap & { readonly failures: number; readonly foundAt: Date };

type GapDocument = {
  /** For example `event mer_…/evt_…`. */
  _id: string;
  schema_version: number;
  kind: GapKind;
  key: string;
  event_id: string;
  /** Number of repairs that failed so far. */
  failures: number;
  found_at: Date;
  due_at: Date;
};

const gapId = (kind: GapKind, { key }: FoundGap): string => `${kind} ${key}`;

export function openGaps(db: Database["db"]) {
  const open = db.collection<GapDocument>("gaps");
  return {
    /** Stores gaps, which are due at once. Returns the number of new ones. */
    record: async (kind: GapKind, found: readonly FoundGap[], now: Date): Promise<number> => {
      const writes = found.map((gap) => ({
        updateOne: {
          filter: { _id: gapId(kind, gap) },
          update: {
            $setOnInsert: {
              schema_version: 1,
              kind,
              key: gap.key,
              event_id: gap.eventId,
              failures: 0,
              found_at: now,
              due_at: now,
            },
          },
          upsert: true,
        },
      }));
      return (await open.bulkWrite(writes, { ordered: false })).upsertedCount;
    },

    /**
     * Returns due gaps. Those with the fewest failures come first, so that failing gaps don't delay
     * others.
     */
    due: async (kind: GapKind, now: Date, limit: number): Promise<Gap[]> => {
      const found = open.find({ kind, due_at: { $lte: now } }).sort({ failures: 1, due_at: 1 });
      return (await found.limit(limit).toArray()).map(
        ({ key, event_id: eventId, failures, found_at: foundAt }) => ({
          key,
          eventId,
          failures,
          foundAt,
        }),
      );
    },

    countOpen: (kind: GapKind): Promise<number> => open.countDocuments({ kind }),

    /** Counts a failed repair of each gap and schedules the next one. */
    postpone: async (
      kind: GapKind,
      failed: readonly Gap[],
      dueAt: (gap: Gap) => Date,
    ): Promise<void> => {
      if (failed.length === 0) return;
      const writes = failed.map((gap) => ({
        updateOne: {
          filter: { _id: gapId(kind, gap) },
          update: { $set: { due_at: dueAt(gap) }, $inc: { failures: 1 } },
        },
      }));
      await open.bulkWrite(writes, { ordered: false });
    },

    close: async (kind: GapKind, closed: readonly Gap[]): Promise<void> => {
      if (closed.length === 0) return;
      await open.deleteMany({ _id: { $in: closed.map((gap) => gapId(kind, gap)) } });
    },
  };
}
