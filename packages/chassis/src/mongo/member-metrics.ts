import type { MongoClient } from "mongodb";
import type { Metrics } from "../metrics.ts";

const states = ["primary", "secondary", "standalone", "other", "unreachable"] as const;
type State = (typeof states)[number];

type Reply = {
  readonly setName?: string;
  readonly isWritablePrimary?: boolean;
  readonly secondary?: boolean;
};

/**
 * Adds a gauge of the database's members as the driver sees them. The driver's own heartbeats have
 * the states, so the service's database user needs no privilege for it.
 */
export function memberMetrics(metrics: Pick<Metrics, "measured">): (client: MongoClient) => void {
  const stateOf = new Map<string, State>();
  metrics.measured(
    "disburse_db_members",
    "Members of the database that the process knows, by state. The state other is an arbiter, or a member that starts or recovers.",
    ["state"],
    (gauge) => {
      const all = [...stateOf.values()];
      for (const state of states) {
        gauge.set({ state }, all.filter((each) => each === state).length);
      }
    },
  );
  return (client) => {
    client.on("serverHeartbeatSucceeded", ({ connectionId, reply }) =>
      stateOf.set(connectionId, stateIn(reply as Reply)),
    );
    client.on("serverHeartbeatFailed", ({ connectionId }) =>
      stateOf.set(connectionId, "unreachable"),
    );
    client.on("serverClosed", ({ address }) => stateOf.delete(address));
  };
}

function stateIn({ setName, isWritablePrimary, secondary }: Reply): State {
  if (setName === undefined) return "standalone";
  if (isWritablePrimary) return "primary";
  return secondary ? "secondary" : "other";
}
