import { type Health, healthStart } from "../../endpoints/rules/health.ts";

/** What this process knows of an endpoint that it delivers to. */
export type Lane = {
  readonly endpointId: string;
  /** "" until something of the endpoint was read. */
  merchantId: string;
  health: Health;
  /** Attempts under way, and how many of them were claimed. */
  running: number;
  claimed: number;
  /** Something is due that is not leased. */
  hasBacklog: boolean;
  /** By the clock that nobody sets: nothing starts before this. */
  waitsUntilMs: number;
  /** Whether its endpoint takes events at all, as it was found at `probedAtMs`. */
  liveness: "unknown" | "live" | "resting";
  probedAtMs: number;
  isUntold: boolean;
  usedAtMs: number;
};

/** An endpoint without news is forgotten after so long; its health stands in the store. */
const idleMs = 600_000;
/** One that fails is remembered longer, for its retries are hours apart. */
const troubledIdleMs = 86_400_000;
/** One write tells of so many endpoints; the others have their turn seconds later. */
const toldMax = 500;

/** The endpoints that this process has had to do with lately. */
export function createLaneTable(elapsed: () => number) {
  const lanes = new Map<string, Lane>();

  const of = (endpointId: string, merchantId = ""): Lane => {
    const usedAtMs = elapsed();
    let lane = lanes.get(endpointId);
    if (lane === undefined) {
      const quiet = { running: 0, claimed: 0, hasBacklog: false, waitsUntilMs: 0, isUntold: false };
      const unprobed = { liveness: "unknown", probedAtMs: 0 } as const;
      lane = { endpointId, merchantId, health: healthStart, ...quiet, ...unprobed, usedAtMs };
      lanes.set(endpointId, lane);
    }
    lane.usedAtMs = usedAtMs;
    // Only before anything is under way, for what is counted has to be counted off again.
    if (merchantId !== "" && lane.running === 0) lane.merchantId = merchantId;
    return lane;
  };

  return {
    of,

    /** What is to be told of some endpoints, as told; forgets those without news. */
    news: (isToTell: (endpointId: string) => boolean = () => true): ReadonlyMap<string, Health> => {
      const told = new Map<string, Health>();
      for (const lane of lanes.values()) {
        if (lane.isUntold && told.size < toldMax && isToTell(lane.endpointId)) {
          told.set(lane.endpointId, lane.health);
          lane.isUntold = false;
        } else if (isQuiet(lane, elapsed())) {
          lanes.delete(lane.endpointId);
        }
      }
      return told;
    },

    /** Forgets those, but what is under way is counted off first; answers them. */
    forget: (isOut: (endpointId: string) => boolean): readonly Lane[] => {
      const out = [...lanes.values()].filter(
        ({ endpointId, running }) => running === 0 && isOut(endpointId),
      );
      for (const { endpointId } of out) lanes.delete(endpointId);
      return out;
    },

    /** These could not be told. */
    untold: (news: ReadonlyMap<string, Health>): void => {
      for (const endpointId of news.keys()) of(endpointId).isUntold = true;
    },

    circuits: (): Readonly<Record<Health["circuit"], number>> => {
      const count = { open: 0, closed: 0 };
      for (const lane of lanes.values()) count[lane.health.circuit] += 1;
      return count;
    },
  };
}

function isQuiet(lane: Lane, nowMs: number): boolean {
  const { running, hasBacklog, isUntold, health } = lane;
  const keptMs = health.consecutiveFailures === 0 ? idleMs : troubledIdleMs;
  return running === 0 && !hasBacklog && !isUntold && lane.usedAtMs < nowMs - keptMs;
}
