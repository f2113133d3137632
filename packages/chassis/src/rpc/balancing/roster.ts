import type { Endpoint } from "./endpoint.ts";
import type { EjectionReason, ObserveClient } from "./observe.ts";

/** The first pause between probes of an ejected endpoint; it doubles up to the longest. */
const probeMinMs = 250;
/** A restarted replica gets calls again after this at most. */
const probeMaxMs = 5_000;

/** The endpoints of a service, and their ejections. */
export type Roster = ReturnType<typeof createRoster>;

/** If all endpoints are ejected, all get calls; a lone one is never ejected. */
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
    /** The endpoints that may get calls. */
    candidates: () => candidates,
    replace: (endpoints: readonly Endpoint[]) => {
      all = endpoints;
      for (const endpoint of ejected.keys()) {
        if (all.length < 2 || !all.includes(endpoint)) ejected.delete(endpoint);
      }
      update();
    },
    /** True if an ejected endpoint needs a probe. */
    isDue: (endpoint: Endpoint, now: number) =>
      now >= (ejected.get(endpoint)?.probeAtMs ?? Number.POSITIVE_INFINITY),
    eject: (endpoint: Endpoint, reason: EjectionReason) => {
      if (all.length < 2 || !all.includes(endpoint)) return;
      const previous = ejected.get(endpoint);
      const now = performance.now();
      // A call that fails meanwhile does not delay the next probe.
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
