import {
  type Health,
  healthStart,
  isUnresponsive,
  withoutStreak,
} from "../../endpoints/rules/health.ts";

/** This process's state of an endpoint that it delivers to. */
export type EndpointQueue = {
  readonly endpointId: string;
  /** "" until a delivery of the endpoint is read. */
  merchantId: string;
  health: Health;
  /** Attempts in flight, and the claimed ones among them. */
  running: number;
  claimed: number;
  /** True if an unleased delivery is due. */
  hasBacklog: boolean;
  /** Claims while the endpoint fails. Every second one is for a retry. */
  failingClaims: number;
  /**
   * Monotonic. Nothing starts before `waitsUntilMs`, and nothing delayed by a pause before
   * `pacedUntilMs`.
   */
  waitsUntilMs: number;
  pacedUntilMs: number;
  /** The result of the probe at `probedAtMs`. A paused or unverified endpoint is suspended. */
  liveness: "unknown" | "live" | "suspended";
  probedAtMs: number;
  /** True if the health changed since it was saved. */
  isUnsaved: boolean;
  usedAtMs: number;
};

/** An idle endpoint is dropped from memory after this time; its health stays in the store. */
const idleMs = 600_000;
/**
 * Failing endpoints are kept longer, because two failures of a streak may be almost two days apart.
 */
const failingIdleMs = 2 * 86_400_000;
/** Maximum endpoints whose health one write saves. The others follow seconds later. */
const savedMax = 500;
/** Interval of probing a suspended endpoint, unless its resumption wakes the dispatcher. */
const probeEveryMs = 1_000;
/** Maximum endpoints that one read probes. The others follow a second later. */
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
    // Changes only while none is in flight, so that each attempt leaves the count that it entered.
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
    /** Endpoints with an unleased due delivery. */
    backlog: backlog as ReadonlySet<EndpointQueue>,
    due: (endpointId: string): void => setBacklog(of(endpointId), true),
    caughtUp: (queue: EndpointQueue): void => setBacklog(queue, false),

    /** Returns the health to save and marks it as saved. Drops idle endpoints. */
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

    /** Reverts the mark after a failed write. */
    markUnsaved: (healths: ReadonlyMap<string, Health>): void => {
      for (const endpointId of healths.keys()) of(endpointId).isUnsaved = true;
    },

    /** Drops endpoints without an attempt in flight. */
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
    /** Returns the endpoints that acknowledged nothing for days, with the start of each streak. */
    unresponsive: (now: Date): { readonly endpointId: string; readonly since: Date }[] =>
      [...queues.values()].flatMap(({ endpointId, health }) => {
        const { failingSince: since } = health;
        return since !== undefined && isUnresponsive(health, now) ? [{ endpointId, since }] : [];
      }),

    /** Restarts the failure streak of a resumed endpoint. */
    restartStreak: (endpointId: string): void => {
      const queue = of(endpointId);
      queue.health = withoutStreak(queue.health);
      queue.isUnsaved = true;
    },
  };
}

/** Finds suspended endpoints among those with a backlog, because they get no slots. */
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
    /** Returns the endpoints with a backlog that must be probed before they get slots. */
    toProbe: (): string[] =>
      [...backlog]
        .filter(mayProbe)
        .toSorted((one, other) => probeRank(one) - probeRank(other))
        .slice(0, probeMax)
        .map(({ endpointId }) => endpointId),

    /** Records a probe. A suspended endpoint gets no slots. */
    probed: (endpointId: string, liveness: "live" | "suspended"): void => {
      const queue = of(endpointId);
      if (queue.liveness === "suspended") suspendedProbedAtMs = elapsed();
      Object.assign(queue, { liveness, probedAtMs: elapsed() });
    },

    /** Makes every suspended endpoint due for a probe. */
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
