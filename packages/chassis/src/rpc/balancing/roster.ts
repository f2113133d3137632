import type { Endpoint } from "./endpoint.ts";
import type { EjectionReason, ObserveClient } from "./observe.ts";

/** The first pause between two probes of an ejected endpoint. It doubles up to `probeMaxMs`. */
const probeMinMs = 250;
/**
 * The longest pause between two probes. A restarted replica gets calls again after at most this
 * time.
 */
const probeMaxMs = 5_000;

/** The endpoints of a service, including the ejected ones. */
export type Roster = ReturnType<typeof createRoster>;

/**
 * Creates a roster of endpoints. If all are ejected, all of them get calls. A single endpoint is
 * never ejected.
 */
export function createRoster(observe: ObserveClient) {
  let all: readonly Endpoint[] = [];
  let candidates: readonly Endpoint[] = [];
  const ejected = new Map<Endpoint, { readonly pauseMs: number; readonly probeAtMs: number }>();
  const counted = { known: 0, ejected: 0 };

  const update = () => {
    const serving = all.filter((endpoint) => !ejected.has(endpoint));
    candidates = serving.length > 0 ? serving : all;
    observe.counted(all.length - counted.known, ejected.size - counted.ejected);
    counted.known = all.length;
    counted.ejected = ejected.size;
  };
  return {
    all: () => all,
    /** Returns the endpoints that may get calls. */
    candidates: () => candidates,
    replace: (endpoints: readonly Endpoint[]) => {
      all = endpoints;
      for (const endpoint of ejected.keys()) {
        if (all.length < 2 || !all.includes(endpoint)) ejected.delete(endpoint);
      }
      update();
    },
    /** Returns true if an ejected endpoint needs a probe now. */
    isDue: (endpoint: Endpoint, now: number) =>
      now >= (ejected.get(endpoint)?.probeAtMs ?? Number.POSITIVE_INFINITY),
    eject: (endpoint: Endpoint, reason: EjectionReason) => {
      if (all.length < 2 || !all.includes(endpoint)) return;
      const previous = ejected.get(endpoint);
      const now = performance.now();
      // If a call fails meanwhile, the next probe is not delayed.
      if (previous !== undefined && now < previous.probeAtMs) return;
      const pauseMs =
        previous === undefined ? probeMinMs : Math.min(previous.pauseMs * 2, probeMaxMs);
      ejected.set(endpoint, { pauseMs, probeAtMs: now + pauseMs });
      if (previous === undefined) observe.ejected(endpoint.key, reason);
      update();
    },
    readmit: (endpoint: Endpoint) => {
      if (!ejected.delete(endpoint)) return;
      observe.readmitted(endpoint.key);
      update();
    },
  };
}
