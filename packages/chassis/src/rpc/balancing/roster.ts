import type { Endpoint } from "./endpoint.ts";
import type { EjectionReason, ObserveClient } from "./observe.ts";

/** The pause before an ejected endpoint is asked again; it doubles up to the longest. */
const probeMinMs = 250;
/** A restarted replica gets calls again after this at most. */
const probeMaxMs = 5_000;

/** Which endpoints of a service there are, and which of them get calls. */
export type Roster = ReturnType<typeof createRoster>;

/** Where all endpoints are ejected, all get calls; a lone one is never ejected. */
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
    /** The endpoints of which one is to be chosen. */
    candidates: () => candidates,
    replace: (endpoints: readonly Endpoint[]) => {
      all = endpoints;
      for (const endpoint of ejected.keys()) {
        if (all.length < 2 || !all.includes(endpoint)) ejected.delete(endpoint);
      }
      update();
    },
    /** Whether an ejected endpoint is to be asked again. */
    isDue: (endpoint: Endpoint, now: number) =>
      now >= (ejected.get(endpoint)?.probeAtMs ?? Number.POSITIVE_INFINITY),
    eject: (endpoint: Endpoint, reason: EjectionReason) => {
      if (all.length < 2 || !all.includes(endpoint)) return;
      const before = ejected.get(endpoint);
      const now = performance.now();
      // A call that fails meanwhile does not put the next probe off.
      if (before !== undefined && now < before.probeAtMs) return;
      const pauseMs = before === undefined ? probeMinMs : Math.min(before.pauseMs * 2, probeMaxMs);
      ejected.set(endpoint, { pauseMs, probeAtMs: now + pauseMs });
      if (before === undefined) observe.ejected(endpoint.key, reason);
      update();
    },
    readmit: (endpoint: Endpoint) => {
      if (!ejected.delete(endpoint)) return;
      observe.readmitted(endpoint.key);
      update();
    },
  };
}
