import { reportRejection } from "../../rejections.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Roster } from "./roster.ts";

/** An endpoint with pending calls is probed after this long without an answer. */
const silentMs = 500;
/** The time between two checks for silence; it adds to the detection time of a hung process. */
const lookEveryMs = 100;
/** The shortest time between two probes of an endpoint that ends connections or is unavailable. */
const doubtEveryMs = 1_000;

/** Probes endpoints that hang, leave or were ejected, while there are several. */
export function createWatch(roster: Roster) {
  const asked = new Set<Endpoint>();
  const doubtedMs = new WeakMap<Endpoint, number>();
  let timer: NodeJS.Timeout | undefined;

  /** Runs one probe of an endpoint at a time. */
  const ask = (endpoint: Endpoint, probe: (endpoint: Endpoint) => Promise<void>): void => {
    if (asked.has(endpoint)) return;
    asked.add(endpoint);
    const ended = () => asked.delete(endpoint);
    probe(endpoint).finally(ended).catch(reportRejection);
  };
  const askHealth = async (endpoint: Endpoint) => {
    if (!(await endpoint.isServing())) return roster.eject(endpoint, "not serving");
    endpoint.heardMs = performance.now();
    roster.readmit(endpoint);
  };
  const askLife = async (endpoint: Endpoint) => {
    const askedMs = performance.now();
    if ((await endpoint.isAlive()) || endpoint.heardMs > askedMs) {
      // It is alive: its calls just take long.
      endpoint.heardMs = performance.now();
      return;
    }
    roster.eject(endpoint, "hung");
    endpoint.pools.renew();
    for (const call of [...endpoint.calls]) call.onHung();
  };
  const look = () => {
    const now = performance.now();
    for (const endpoint of roster.all()) {
      const isSilent = endpoint.calls.size > 0 && now - endpoint.heardMs >= silentMs;
      if (isSilent) ask(endpoint, askLife);
      else if (roster.isDue(endpoint, now)) ask(endpoint, askHealth);
    }
  };
  return {
    /** Starts or stops the watch: it runs only with several endpoints. */
    adjust: () => {
      clearInterval(timer);
      if (roster.all().length > 1) timer = setInterval(look, lookEveryMs).unref();
    },
    /** Probes an endpoint that ends connections or is unavailable: it may be about to stop. */
    doubt: (endpoint: Endpoint) => {
      const now = performance.now();
      if (roster.all().length < 2) return;
      if (now - (doubtedMs.get(endpoint) ?? Number.NEGATIVE_INFINITY) < doubtEveryMs) return;
      doubtedMs.set(endpoint, now);
      ask(endpoint, askHealth);
    },
  };
}
