import {
  type Health,
  healthStart,
  isUnresponsive,
  withoutStreak,
} from "../../endpoints/rules/health.ts";

/** The state of an endpoint in the process that delivers to it. */
export type EndpointQueue = {
  readonly endpointId: string;
  /** `""` until the first delivery of the endpoint is read. */
  merchantId: string;
  health: Health;
  /**
   * `running`: all attempts in flight. `claimed`: those among them that were claimed from the
   * store.
   */
  running: number;
  claimed: number;
  /** True if a delivery without a lease is due. */
  hasBacklog: boolean;
  /** Number of claims while the endpoint fails. Every second one is for a retry. */
  failingClaims: number;
  /**
   * Both times are monotonic. Before `waitsUntilMs` no delivery starts. Before `pacedUntilMs` no
   * delivery starts that a pause has delayed.
   */
  waitsUntilMs: number;
  pacedUntilMs: number;
  /**
   * The last monotonic time at which the endpoint's own limits let no delivery start. The process's
   * limits don't count.
   */
  limitedAtMs: number;
  /**
   * The result of the probe at `probedAtMs`. An endpoint that is paused or not verified is
   * suspended.
   */
  liveness: "unknown" | "live" | "suspended";
  probedAtMs: number;
  /** True if the health has changed since it was last saved. */
  isUnsaved: boolean;
  usedAtMs: number;
};

/** An endpoint that is idle for this time is removed from memory. The store keeps its health. */
const idleMs = 600_000;
/**
 * Failing endpoints stay in memory longer. A failure streak continues even if two failures are
 * almost two days apart.
 */
const failingIdleMs = 2 * 86_400_000;
/**
 * Maximum endpoints whose health is saved in one write. The others are saved a few seconds later.
 */
const savedMax = 500;
/**
 * Interval at which a suspended endpoint is probed. If the endpoint resumes earlier, the dispatcher
 * is notified.
 */
const probeEveryMs = 1_000;
/** Maximum endpoints that are probed in one read. The others are probed a second later. */
const probeMax = 500;

/** The endpoints that this process recently delivered to. */
export function createEndpointQueues(elapsed: () => number) {
  const queues = new Map<string, EndpointQueue>();
  const backlog = new Set<EndpointQueue>();

  const of = (endpointId: string, merchantId = ""): EndpointQueue => {
    const usedAtMs = elapsed();
    const queue = queues.get(endpointId) ?? newQueue(endpointId, merchantId);
    queues.set(endpointId, queue);
    queue.usedAtMs = usedAtMs;
    // The merchant changes only while no attempt is in flight. Otherwise an attempt would be added
    // to one merchant's count and removed from another's.
    if (merchantId !== "" && queue.running === 0) queue.merchantId = merchantId;
    return queue;
  };
  const setBacklog = (queue: EndpointQueue, hasBacklog: boolean): void => {
    queue.hasBacklog = hasBacklog;
    backlog[hasBacklog ? "add" : "delete"](queue);
  };

  return {
    of,
    ...createProbes(of, backlog, elapsed),
    ...createStreaks(of, queues),
    /** Endpoints with a due delivery that has no lease. */
    backlog: backlog as ReadonlySet<EndpointQueue>,
    due: (endpointId: string): void => setBacklog(of(endpointId), true),
    caughtUp: (queue: EndpointQueue): void => setBacklog(queue, false),

    /** Returns the health that must be saved, and marks it as saved. Removes idle endpoints. */
    unsavedHealth: (
      isIncluded: (endpointId: string) => boolean = () => true,
    ): ReadonlyMap<string, Health> => {
      const unsaved = new Map<string, Health>();
      for (const queue of queues.values()) {
        if (queue.isUnsaved && unsaved.size < savedMax && isIncluded(queue.endpointId)) {
          unsaved.set(queue.endpointId, queue.health);
          queue.isUnsaved = false;
        } else if (isIdle(queue, elapsed())) {
          queues.delete(queue.endpointId);
        }
      }
      return unsaved;
    },

    /** Marks health as unsaved again after a failed write. */
    markUnsaved: (healths: ReadonlyMap<string, Health>): void => {
      for (const endpointId of healths.keys()) of(endpointId).isUnsaved = true;
    },

    /** Removes the matching endpoints that have no attempt in flight. */
    forget: (isOut: (endpointId: string) => boolean): void => {
      for (const queue of queues.values()) {
        if (queue.running > 0 || !isOut(queue.endpointId)) continue;
        queues.delete(queue.endpointId);
        setBacklog(queue, false);
      }
    },

    circuits: (): Readonly<Record<Health["circuit"], number>> => {
      const count = { open: 0, closed: 0 };
      for (const queue of queues.values()) count[queue.health.circuit] += 1;
      return count;
    },
  };
}

function createStreaks(
  of: (endpointId: string) => EndpointQueue,
  queues: ReadonlyMap<string, EndpointQueue>,
) {
  return {
    /**
     * Returns the endpoints that have acknowledged nothing for days, with the start of each failure
     * streak.
     */
    unresponsive: (now: Date): { readonly endpointId: string; readonly since: Date }[] =>
      [...queues.values()].flatMap(({ endpointId, health }) => {
        const { failingSince: since } = health;
        return since !== undefined && isUnresponsive(health, now) ? [{ endpointId, since }] : [];
      }),

    /** Resets the failure streak of an endpoint that was resumed. */
    restartStreak: (endpointId: string): void => {
      const queue = of(endpointId);
      queue.health = withoutStreak(queue.health);
      queue.isUnsaved = true;
    },
  };
}

/** Checks which endpoints with a backlog are suspended, because suspended ones get no slots. */
function createProbes(
  of: (endpointId: string) => EndpointQueue,
  backlog: ReadonlySet<EndpointQueue>,
  elapsed: () => number,
) {
  let suspendedProbedAtMs = Number.NEGATIVE_INFINITY;
  const mayProbe = ({ liveness, probedAtMs }: EndpointQueue): boolean =>
    liveness === "unknown" ||
    (liveness === "suspended" &&
      Math.max(probedAtMs, suspendedProbedAtMs) <= elapsed() - probeEveryMs);
  return {
    /** Returns the endpoints with a backlog that must be probed before they can get slots. */
    toProbe: (): string[] =>
      [...backlog]
        .filter(mayProbe)
        .toSorted((one, other) => probeRank(one) - probeRank(other))
        .slice(0, probeMax)
        .map(({ endpointId }) => endpointId),

    /** Records the result of a probe. Suspended endpoints get no slots. */
    probed: (endpointId: string, liveness: "live" | "suspended"): void => {
      const queue = of(endpointId);
      if (queue.liveness === "suspended") suspendedProbedAtMs = elapsed();
      Object.assign(queue, { liveness, probedAtMs: elapsed() });
    },

    /** Makes all suspended endpoints due for a probe. */
    resumeSuspended: (): void => {
      for (const queue of backlog) if (queue.liveness === "suspended") queue.liveness = "unknown";
    },
  };
}

function newQueue(endpointId: string, merchantId: string): EndpointQueue {
  return {
    endpointId,
    merchantId,
    health: healthStart,
    running: 0,
    claimed: 0,
    usedAtMs: 0,
    hasBacklog: false,
    waitsUntilMs: 0,
    liveness: "unknown",
    probedAtMs: 0,
    isUnsaved: false,
    failingClaims: 0,
    pacedUntilMs: 0,
    limitedAtMs: Number.NEGATIVE_INFINITY,
  };
}

function isIdle(queue: EndpointQueue, nowMs: number): boolean {
  const { running, hasBacklog, isUnsaved, health } = queue;
  const keptMs = health.consecutiveFailures === 0 ? idleMs : failingIdleMs;
  return running === 0 && !hasBacklog && !isUnsaved && queue.usedAtMs < nowMs - keptMs;
}

function probeRank({ liveness, probedAtMs }: EndpointQueue): number {
  return liveness === "unknown" ? -1 : probedAtMs;
}
