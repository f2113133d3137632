import {
  type Health,
  healthStart,
  isUnresponsive,
  withoutStreak,
} from "../../endpoints/rules/health.ts";

/** What this process knows of an endpoint that it delivers to. */
export type EndpointQueue = {
  readonly endpointId: string;
  /** "" until a delivery of the endpoint was read. */
  merchantId: string;
  health: Health;
  /** Attempts in flight, and how many of them were claimed. */
  running: number;
  claimed: number;
  /** Something is due that is not leased. */
  hasBacklog: boolean;
  /** Claims so far while it failed: every second one is for a retry. */
  failingClaims: number;
  /** By the monotonic clock: nothing starts before this, and nothing that waited for a pause. */
  waitsUntilMs: number;
  pacedUntilMs: number;
  /** As it was found at `probedAtMs`; an endpoint that is paused or unverified is suspended. */
  liveness: "unknown" | "live" | "suspended";
  probedAtMs: number;
  /** Its health has changed since it was saved. */
  isUnsaved: boolean;
  usedAtMs: number;
};

/** An idle endpoint is forgotten after this; its health is in the store. */
const idleMs = 600_000;
/** A failing one is kept longer: the failures of its streak may be nearly two days apart. */
const failingIdleMs = 2 * 86_400_000;
/** One write saves the health of so many endpoints; the others follow seconds later. */
const savedMax = 500;
/** How soon a suspended endpoint is probed again, unless its resumption wakes the dispatcher. */
const probeEveryMs = 1_000;
/** So many are probed in one read; the others follow a second later. */
const probeMax = 500;

/** The endpoints that this process has delivered to lately. */
export function createEndpointQueues(elapsed: () => number) {
  const queues = new Map<string, EndpointQueue>();
  const backlog = new Set<EndpointQueue>();

  const of = (endpointId: string, merchantId = ""): EndpointQueue => {
    const usedAtMs = elapsed();
    const queue = queues.get(endpointId) ?? newQueue(endpointId, merchantId);
    queues.set(endpointId, queue);
    queue.usedAtMs = usedAtMs;
    // Only while nothing is in flight: an attempt is counted off where it was counted.
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
    /** Those with something due that is not leased. */
    backlog: backlog as ReadonlySet<EndpointQueue>,
    due: (endpointId: string): void => setBacklog(of(endpointId), true),
    caughtUp: (queue: EndpointQueue): void => setBacklog(queue, false),

    /** Health to be saved, which counts as saved now; forgets idle endpoints. */
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

    /** The write that should have saved these failed. */
    markUnsaved: (healths: ReadonlyMap<string, Health>): void => {
      for (const endpointId of healths.keys()) of(endpointId).isUnsaved = true;
    },

    /** Forgets endpoints, but none with an attempt in flight. */
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

/** How long endpoints have acknowledged nothing. */
function createStreaks(
  of: (endpointId: string) => EndpointQueue,
  queues: ReadonlyMap<string, EndpointQueue>,
) {
  return {
    /** Endpoints that acknowledged nothing for days, and since when. */
    unresponsive: (now: Date): { readonly endpointId: string; readonly since: Date }[] =>
      [...queues.values()].flatMap(({ endpointId, health }) => {
        const { failingSince: since } = health;
        return since !== undefined && isUnresponsive(health, now) ? [{ endpointId, since }] : [];
      }),

    /** An endpoint was resumed: its streak of failures begins anew. */
    restartStreak: (endpointId: string): void => {
      const queue = of(endpointId);
      queue.health = withoutStreak(queue.health);
      queue.isUnsaved = true;
    },
  };
}

/** Finds out which endpoints with a backlog are suspended: those get no slots. */
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
    /** Endpoints with a backlog that must be found live before they get slots. */
    toProbe: (): string[] =>
      [...backlog]
        .filter(mayProbe)
        .toSorted((one, other) => probeRank(one) - probeRank(other))
        .slice(0, probeMax)
        .map(({ endpointId }) => endpointId),

    /** A suspended endpoint gets no slots. */
    probed: (endpointId: string, liveness: "live" | "suspended"): void => {
      const queue = of(endpointId);
      if (queue.liveness === "suspended") suspendedProbedAtMs = elapsed();
      Object.assign(queue, { liveness, probedAtMs: elapsed() });
    },

    /** Probes every suspended endpoint again. */
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
