import type { Database } from "@disburse/chassis/mongo.ts";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import type { Clock } from "@disburse/kernel/time.ts";

/** What operators decided of a rail; a rail without one is not paused. */
type RailStateDocument = {
  _id: string;
  schema_version: number;
  paused: boolean;
  reason: string;
  operation_id: string;
  actor: StoredActor;
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
    write: async (
      rail: string,
      { paused, reason }: RailState,
      by: { readonly operationId: string; readonly actor: StoredActor },
    ): Promise<void> => {
      const { operationId: operation_id, actor } = by;
      const written = { paused, reason, operation_id, actor, updated_at: clock.now() };
      await states.updateOne(
        { _id: rail },
        { $set: { schema_version: 1, ...written } },
        { upsert: true },
      );
      known.delete(rail);
    },
  };
}
