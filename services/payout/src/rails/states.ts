import { type Database, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AuditEntry } from "../payouts/audit.ts";

/** What operators decided of a rail; a rail without one is not paused. */
type RailStateDocument = {
  _id: string;
  schema_version: number;
  paused: boolean;
  reason: string;
  /** The entry of the audit trail that this state is of: an earlier one changes nothing. */
  audit_sequence: number;
  updated_at: Date;
};

/** Whether operators paused a rail, and why; "" when they did not. */
export type RailState = { readonly paused: boolean; readonly reason: string };

export type RailStates = ReturnType<typeof openRailStates>;

/** A pause that another process was told of holds here after this at the latest. */
const knownForMs = 1_000;

const running: RailState = { paused: false, reason: "" };

/** Which rails operators have paused. */
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
    /** As it was a second ago at most: asked before each submission. */
    isPaused: async (rail: string): Promise<boolean> => {
      const last = known.get(rail);
      const age = last && clock.now().getTime() - last.readAt;
      const isFresh = age !== undefined && age >= 0 && age < knownForMs;
      return (last && isFresh ? last.state : await read(rail)).paused;
    },
    /** Brings the state up to what the audit trail says, were it left behind by a crash. */
    follow: async (entry: AuditEntry): Promise<void> => {
      const { subject: rail, sequence, action, detail, at } = entry;
      const paused = action === "rail.paused";
      const written = { paused, reason: paused ? detail : "", audit_sequence: sequence };
      try {
        await states.updateOne(
          { _id: rail, audit_sequence: { $not: { $gte: sequence } } },
          { $set: { schema_version: 1, ...written, updated_at: at } },
          { upsert: true },
        );
      } catch (error) {
        // A later entry was here before.
        if (!isDuplicateKey(error)) throw error;
      }
      known.delete(rail);
    },
  };
}
