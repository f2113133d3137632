import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AuditEntry } from "../payouts/operators.ts";

/** The state of a rail. A rail without a state is not paused. */
type RailStateDocument = {
  _id: string;
  schema_version: number;
  paused: boolean;
  reason: string;
  /** The audit entry that set this state. An earlier entry can't change it any more. */
  audit_sequence: number;
  updated_at: Date;
};

/** Shows whether operators have paused a rail. `reason` is "" if they have not. */
export type RailState = { readonly paused: boolean; readonly reason: string };

export type RailStates = ReturnType<typeof openRailStates>;

/** The maximum delay before this process applies a pause that another process stored. */
const knownForMs = 1_000;

const running: RailState = { paused: false, reason: "" };

export function openRailStates({ db }: Database, clock: Clock) {
  const states = db.collection<RailStateDocument>("rail_states");
  const known = new Map<string, { readonly state: RailState; readonly readAt: number }>();
  const read = async (rail: string): Promise<RailState> => {
    const found = await states.findOne({ _id: rail });
    const state = found === null ? running : { paused: found.paused, reason: found.reason };
    known.set(rail, { state, readAt: clock.now().getTime() });
    return state;
  };
  return {
    read,
    /** Lists all rails that were ever paused, with their current state. */
    list: async () => {
      const found = await states.find().toArray();
      return found.map(({ _id: rail, paused }) => ({ rail, paused }));
    },
    /**
     * Returns true if a rail is paused. The result is cached for a second, because this is called
     * before each submission.
     */
    isPaused: async (rail: string): Promise<boolean> => {
      const last = known.get(rail);
      const age = last && clock.now().getTime() - last.readAt;
      const isFresh = age !== undefined && age >= 0 && age < knownForMs;
      return (last && isFresh ? last.state : await read(rail)).paused;
    },
    /**
     * Applies an audit entry once. After a crash between the audit trail and the state, a repeat
     * applies it.
     */
    follow: async (entry: AuditEntry): Promise<void> => {
      const { subject: rail, sequence, action, detail, at } = entry;
      const paused = action === "rail.paused";
      const written = { paused, reason: paused ? detail : "", audit_sequence: sequence };
      // A duplicate key means that a later entry is already applied.
      await onceByKey(() =>
        states.updateOne(
          { _id: rail, audit_sequence: { $not: { $gte: sequence } } },
          { $set: { schema_version: 1, ...written, updated_at: at } },
          { upsert: true },
        ),
      );
      known.delete(rail);
    },
  };
}
