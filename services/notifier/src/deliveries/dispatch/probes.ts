import type { Lane } from "./lane-table.ts";

/** How soon an endpoint that rests is asked again, unless its resumption wakes us. */
const probeEveryMs = 1_000;
/** So many are asked in one read; others that rest have their turn a second later. */
const probeMax = 500;

/** Which endpoints with a backlog rest: those that are paused or not verified get no slots. */
export function createProbes(
  of: (endpointId: string) => Lane,
  backlog: ReadonlySet<Lane>,
  elapsed: () => number,
) {
  let restProbedAtMs = Number.NEGATIVE_INFINITY;

  return {
    /** Endpoints that have to be found live before they are given slots, or once more. */
    toProbe: (): string[] => {
      const before = elapsed() - probeEveryMs;
      const isAsleep = ({ liveness, probedAtMs }: Lane): boolean =>
        liveness === "unknown" ||
        (liveness === "resting" && Math.max(probedAtMs, restProbedAtMs) <= before);
      const asleep = [...backlog].filter(isAsleep);
      const unknownFirst = asleep.toSorted((one, other) => probeRank(one) - probeRank(other));
      return unknownFirst.slice(0, probeMax).map(({ endpointId }) => endpointId);
    },

    /** Nothing is claimed for an endpoint that rests. */
    probed: (endpointId: string, liveness: "live" | "resting"): void => {
      const lane = of(endpointId);
      if (lane.liveness === "resting") restProbedAtMs = elapsed();
      Object.assign(lane, { liveness, probedAtMs: elapsed() });
    },

    /** Asks every endpoint anew that rests. */
    unpark: (): void => {
      for (const lane of backlog) if (lane.liveness === "resting") lane.liveness = "unknown";
    },
  };
}

function probeRank({ liveness, probedAtMs }: Lane): number {
  return liveness === "unknown" ? -1 : probedAtMs;
}
