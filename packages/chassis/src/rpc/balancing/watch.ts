import { reportRejection } from "../../rejections.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Roster } from "./roster.ts";

/** The time without a response after which an endpoint with pending calls is probed. */
const silentMs = 500;
/**
 * The interval between two checks for endpoints that do not respond. It adds to the time in which a
 * hung process is detected.
 */
const checkEveryMs = 100;
/**
 * The minimum interval between two probes of an endpoint that closes connections or is unavailable.
 */
const suspectEveryMs = 1_000;

/**
 * Probes endpoints that hang, are about to stop, or were ejected. Probes run only while there are
 * several endpoints.
 */
export function createWatch(roster: Roster) {
  const probed = new Set<Endpoint>();
  const suspectedMs = new WeakMap<Endpoint, number>();
  let timer: NodeJS.Timeout | undefined;

  /** Runs one probe of an endpoint at a time. */
  const startProbe = (endpoint: Endpoint, probe: (endpoint: Endpoint) => Promise<void>): void => {
    if (probed.has(endpoint)) return;
    probed.add(endpoint);
    const ended = () => probed.delete(endpoint);
    probe(endpoint).finally(ended).catch(reportRejection);
  };
  const probeHealth = async (endpoint: Endpoint) => {
    if (!(await endpoint.isServing())) return roster.eject(endpoint, "not serving");
    endpoint.answeredMs = performance.now();
    roster.readmit(endpoint);
  };
  const probeLife = async (endpoint: Endpoint) => {
    const startedMs = performance.now();
    if ((await endpoint.isAlive()) || endpoint.answeredMs > startedMs) {
      // The endpoint is alive. Its calls only take long.
      endpoint.answeredMs = performance.now();
      return;
    }
    roster.eject(endpoint, "hung");
    endpoint.pools.renew();
    for (const call of [...endpoint.calls]) call.onHung();
  };
  const check = () => {
    const now = performance.now();
    for (const endpoint of roster.all()) {
      const isSilent = endpoint.calls.size > 0 && now - endpoint.answeredMs >= silentMs;
      if (isSilent) startProbe(endpoint, probeLife);
      else if (roster.isDue(endpoint, now)) startProbe(endpoint, probeHealth);
    }
  };
  return {
    /** Starts or stops the watch, which runs only with several endpoints. */
    adjust: () => {
      clearInterval(timer);
      if (roster.all().length > 1) timer = setInterval(check, checkEveryMs).unref();
    },
    /**
     * Probes an endpoint that closes connections or is unavailable, because it may be about to
     * stop.
     */
    suspect: (endpoint: Endpoint) => {
      const now = performance.now();
      if (roster.all().length < 2) return;
      if (now - (suspectedMs.get(endpoint) ?? Number.NEGATIVE_INFINITY) < suspectEveryMs) return;
      suspectedMs.set(endpoint, now);
      startProbe(endpoint, probeHealth);
    },
  };
}
